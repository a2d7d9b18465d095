// The one copy of what the server said last, and who wants to know when it changes.
import { ServerError, server, type News, type State, type Training } from "./server";
import { byId } from "./dom";

type Listener = (state: State) => void;

const listeners: Listener[] = [];
const trainingListeners: ((training: Training) => void)[] = [];
let current: State | null = null;
let asking: Promise<void> | null = null;
let askAgain = false;

export const onState = (listener: Listener): void => void listeners.push(listener);
export const onTraining = (listener: (training: Training) => void): void => void trainingListeners.push(listener);
export const state = (): State | null => current;

export function alarm(message: string): void {
  const node = byId("alarm");
  node.hidden = message === "";
  node.textContent = message;
}

async function askOnce(): Promise<void> {
  try {
    current = await server.state();
    alarm(current.model_problem ? `The model file cannot be used: ${current.model_problem}` : "");
    for (const listener of listeners) listener(current);
    for (const listener of trainingListeners) listener(current.training);
  } catch (error) {
    alarm((error as Error).message);
  }
}

// Asks for the state; while an answer is on its way, once more after it.
export function refresh(): Promise<void> {
  if (asking) {
    askAgain = true;
    return asking;
  }
  asking = (async () => {
    do {
      askAgain = false;
      await askOnce();
    } while (askAgain);
    asking = null;
  })();
  return asking;
}

export function take(news: News): void {
  if (!current || news.revision !== current.revision || news.model !== current.model_number || news.training.state !== current.training.state) void refresh();
  if (!current) return;
  current.training = news.training;
  for (const listener of trainingListeners) listener(news.training);
}

// Does something on the server and shows what came of it. What another page has changed meanwhile is said, and the view is fresh.
export async function act<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    const out = await work();
    await refresh();
    return out;
  } catch (error) {
    await refresh();
    notify((error as Error).message);
    if (!(error instanceof ServerError)) throw error;
    return null;
  }
}

let timer = 0;

// A line at the foot of the page, for some seconds.
export function notify(text: string, undo = false): void {
  byId("toast-text").textContent = text;
  byId("undo").hidden = !undo;
  byId("toast").hidden = false;
  byId("status").textContent = text;
  clearTimeout(timer);
  timer = window.setTimeout(() => (byId("toast").hidden = true), 12000);
}
