// Pictures from wherever a person has them: dropped files and folders, a file dialog, the clipboard, the camera.

export interface Given { file: Blob; name: string; folder: string }  // folder: the innermost one that it came in, "" for none

const isPicture = (file: File): boolean => file.type.startsWith("image/") || /\.(jpe?g|png|tiff?|bmp|webp|p[gp]m)$/i.test(file.name);

async function filesOf(entry: FileSystemEntry, folder: string): Promise<Given[]> {
  if (entry.name.startsWith(".")) return [];
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    return folder && !isPicture(file) ? [] : [{ file, name: file.name, folder }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const out: Given[] = [];
  for (;;) {  // a reader gives some at a time, and none at its end
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return out;
    for (const one of some) out.push(...(await filesOf(one, entry.name)));
  }
}

// Must be called while the event is handled: its data are gone afterwards.
export async function dropped(data: DataTransfer): Promise<Given[]> {
  const entries = [...data.items].map((item) => item.webkitGetAsEntry?.()).filter((entry): entry is FileSystemEntry => Boolean(entry));
  if (entries.length === 0) return chosen(data.files);
  return (await Promise.all(entries.map((entry) => filesOf(entry, "")))).flat();
}

export const chosen = (files: Iterable<File> | null): Given[] => [...(files ?? [])].map((file) => ({ file, name: file.name || "pasted.png", folder: "" }));

// Runs `work` on each, a few at a time.
export async function each<T>(items: T[], most: number, work: (item: T, index: number) => Promise<void>): Promise<void> {
  let next = 0;
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, async () => {
    while (next < items.length) {
      const index = next++;
      await work(items[index]!, index);
    }
  }));
}
