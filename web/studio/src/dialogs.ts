// Small dialogs: another name for a class, and what can be done with one picture.
import { button, element, withAttributes } from "./dom";
import { server, type Picture } from "./server";
import { act, notify, state } from "./store";

function open(title: string, ...content: (Node | string)[]): HTMLDialogElement {
  const dialog = element("dialog", { className: "small" }, element("h2", {}, title), ...content);
  withAttributes(dialog, { "aria-label": title });
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

export function renameClass(name: string): void {
  const input = element("input", { value: name, maxLength: 100, autocomplete: "off", id: "rename" });
  const form = element("form", {}, element("label", { htmlFor: "rename" }, "Name"), input,
    element("p", { className: "row" }, element("button", { type: "submit", className: "main" }, "Rename"), button("Cancel", "plain", () => dialog.close())));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const to = input.value.trim();
    dialog.close();
    if (to !== name) void act(() => server.renameClass(name, to));
  });
  const dialog = open(`Rename ${name}`, form);
  input.select();
}

// The classes that a picture could go to.
export function classChoice(id: string, without: string, selected?: string): HTMLSelectElement {
  const names = (state()?.classes ?? []).map((one) => one.name).filter((name) => name !== without);
  const choice = element("select", { id }, ...names.map((name) => element("option", { value: name }, name)));
  if (selected !== undefined && names.includes(selected)) choice.value = selected;
  return choice;
}

export async function removePicture(className: string, file: string): Promise<void> {
  if (await act(() => server.removePicture(className, file))) notify(`Removed ${file}.`, true);
}

export function showPicture(className: string, picture: Picture): void {
  const to = classChoice("move-to", className);
  const others = to.options.length > 0;
  const view = picture.problem
    ? element("p", { className: "bad" }, picture.problem)
    : element("img", { src: server.pictureUrl(className, picture.file, 800, picture.stamp), alt: `${picture.file} in ${className}` });
  const dialog = open(picture.file, view,
    picture.same ? element("p", { className: "faint" }, `The same picture as ${picture.same.join(", ")}.`) : "",
    others ? element("p", { className: "row" }, element("label", { htmlFor: "move-to" }, "Move to"), to, button("Move", "main", () => {
      dialog.close();
      void act(() => server.movePicture(className, picture.file, to.value));
    })) : "",
    element("p", { className: "row" }, button("Remove", "plain bad", () => {
      dialog.close();
      void removePicture(className, picture.file);
    }), button("Close", "plain", () => dialog.close())));
}
