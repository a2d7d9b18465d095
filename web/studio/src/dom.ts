// Elements by script. Names of classes and files are only ever set as text, never as markup.

type Child = Node | string | null | undefined | false;

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Partial<HTMLElementTagNameMap[K]> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children.filter((child): child is Node | string => child !== null && child !== undefined && child !== false));
  return node;
}

// With attributes that are not properties: aria-*, role.
export function withAttributes<T extends Element>(node: T, attributes: Record<string, string>): T {
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return node;
}

export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`there is no element ${id}`);
  return found as T;
}

export function button(text: string, className: string, onclick: () => unknown, label?: string): HTMLButtonElement {
  const node = element("button", { type: "button", className, onclick: () => void onclick() }, text);
  if (label) node.setAttribute("aria-label", label);
  return node;
}

export const percent = (share: number, digits = 0): string => `${(100 * share).toFixed(digits)} %`;
export const count = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`;

// Read aloud by a screen reader.
export function say(text: string): void {
  byId("status").textContent = text;
}
