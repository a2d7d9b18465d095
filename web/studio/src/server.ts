// What the page asks the server for. Every answer and error is typed here, once.

export interface Picture { file: string; stamp: string; problem?: string; same?: string[] }
export interface PictureClass { name: string; pictures: Picture[] }
export interface Training {
  state: "idle" | "running" | "done" | "cancelled" | "failed";
  number: number; effort: string; step: string; done: number; total: number; seconds: number; message: string;
}
export interface Tried { name: string; recipe: string; score: number; error: number; items: number; seconds: number; chosen: boolean }
export interface Mistake { class: string; file: string; predicted: string; probability: number }
export interface Report {
  folds: number; accuracy?: number; error?: number; tried: Tried[]; items?: number;
  confusion?: { classes: string[]; counts: number[][] };
  mistakes?: Mistake[];
  left_out?: { item: string; reason: string }[];
}
export interface Model { classes: string[]; recipe: string; of_pictures: boolean; stale?: boolean; report?: Report }
export interface State {
  folder: string; revision: number; unchecked: number; undo: string; classes: PictureClass[];
  model: Model | null; model_number: number; model_problem?: string; training: Training;
}
export interface News { revision: number; model: number; training: Training }
export interface Added { given: string; file?: string; known?: boolean; error?: string }
export interface Explanation {
  class: string; by: string;
  map?: { rows: number; cols: number; values: number[] };
  strongest_for?: { x: number; y: number }[];
  deciding?: { item: string; classes: string[] }[];
}
export interface Prediction {
  class: string; probability: number; top: { class: string; probability: number }[]; typicality?: number; explanation?: Explanation;
}

export class ServerError extends Error {
  constructor(message: string, readonly status: number) { super(message); }
}

async function ask<T>(path: string, query: Record<string, string>, options: RequestInit = {}): Promise<T> {
  let response: Response;
  try {
    response = await fetch(`${path}?${new URLSearchParams(query)}`, { ...options, headers: { "X-Muster-Studio": "1" } });
  } catch {
    throw new ServerError("The studio does not answer. Is `muster studio` still running?", 0);
  }
  const body = await response.json().catch(() => ({ error: `status ${response.status}` }));
  if (!response.ok) throw new ServerError(body.error, response.status);
  return body as T;
}

const post = <T>(path: string, query: Record<string, string> = {}, body?: FormData): Promise<T> => ask<T>(path, query, { method: "POST", body });

function form(file: Blob, name: string): FormData {
  const body = new FormData();
  body.append("file", file, name);
  return body;
}

export const server = {
  state: () => ask<State>("/studio/state", {}),
  addClass: (name: string) => post("/studio/classes/add", { name }),
  renameClass: (name: string, to: string) => post("/studio/classes/rename", { name, to }),
  removeClass: (name: string) => post("/studio/classes/remove", { name }),
  addPicture: async (className: string, file: Blob, name: string) =>
    (await post<{ pictures: Added[] }>("/studio/pictures/add", { class: className }, form(file, name))).pictures[0],
  movePicture: (className: string, file: string, to: string) => post("/studio/pictures/move", { class: className, file, to }),
  removePicture: (className: string, file: string) => post("/studio/pictures/remove", { class: className, file }),
  undo: () => post<{ restored: string }>("/studio/undo"),
  train: (effort: string) => post("/studio/train", { effort }),
  cancel: () => post("/studio/cancel"),
  predict: async (file: Blob, name: string) =>
    (await post<{ predictions: Prediction[] }>("/predict", { top: "5", explain: "1" }, form(file, name))).predictions[0],
  pictureUrl: (className: string, file: string, side: number, stamp?: string) =>
    `/studio/picture?${new URLSearchParams({ class: className, file, side: String(side), ...(stamp ? { stamp } : {}) })}`,
};

// Tells of every change. A page in the background does not listen: browsers open few connections to one server.
export function listen(onNews: (news: News) => void, onSilence: (silent: boolean) => void): void {
  let events: EventSource | null = null;
  const open = () => {
    if (events || document.hidden) return;
    events = new EventSource("/studio/events");
    events.onopen = () => onSilence(false);
    events.onmessage = (message) => onNews(JSON.parse(message.data) as News);
    events.onerror = () => {
      onSilence(true);
      if (events?.readyState === EventSource.CLOSED) {  // refused, not lost: the browser does not try again by itself
        events = null;
        setTimeout(open, 2000);
      }
    };
  };
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      events?.close();
      events = null;
    } else {
      open();
    }
  });
  addEventListener("pagehide", () => events?.close());
  open();
}
