/** Saves a file through the browser. */
export function saveFile(name: string, file: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Saves a file with this text. */
export const saveText = (name: string, type: string, text: string): void =>
  saveFile(name, new Blob([text], { type }));
