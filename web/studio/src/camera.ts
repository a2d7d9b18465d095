// A dialog with the camera's picture and a shutter.
import { button, element, say } from "./dom";

export const hasCamera = (): boolean => Boolean(navigator.mediaDevices?.getUserMedia);

// Calls `take` for each picture until the dialog is closed.
export async function openCamera(title: string, take: (picture: Blob) => void): Promise<void> {
  const video = element("video", { autoplay: true, muted: true, playsInline: true });
  const taken = element("p", { className: "faint" }, "The picture stays on this computer.");
  const shutter = button("Take a picture", "main", () => {
    const canvas = element("canvas", { width: video.videoWidth, height: video.videoHeight });
    canvas.getContext("2d")?.drawImage(video, 0, 0);
    canvas.toBlob((blob) => {
      if (!blob) return;
      take(blob);
      shots += 1;
      taken.textContent = `${shots} taken`;
      say(`${shots} taken`);
    }, "image/jpeg", 0.92);
  });
  shutter.disabled = true;
  let shots = 0;
  const dialog: HTMLDialogElement = element("dialog", { className: "camera" }, element("h2", {}, title), video, taken,
    element("p", { className: "row" }, shutter, button("Close", "plain", () => dialog.close())));
  dialog.setAttribute("aria-label", title);
  document.body.append(dialog);
  let stream: MediaStream | undefined;
  dialog.addEventListener("close", () => {
    stream?.getTracks().forEach((track) => track.stop());
    dialog.remove();
  });
  dialog.showModal();
  try {
    stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment" } });
    video.srcObject = stream;
    await video.play();
    shutter.disabled = false;
    shutter.focus();
  } catch {
    video.remove();
    taken.textContent = "There is no camera that this page may use. Choose or drop pictures instead.";
  }
}
