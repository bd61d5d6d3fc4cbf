// Reads files of ComfyUI. Loaded when a file is dropped or chosen.
import { findGraphText } from '../../src/graph/comfyui/image-texts.ts';

/** Larger files are not read. */
const MAX_BYTES = 50_000_000;
const IMAGE = /^image\/(?:png|webp)$/;

/** Returns the JSON text of a file, or of the graph in an image. Returns undefined for other files. */
export async function readForeignFile(file: File): Promise<string | undefined> {
  if (file.size > MAX_BYTES) return undefined;
  if (IMAGE.test(file.type)) return findGraphText(new Uint8Array(await file.arrayBuffer()));
  if (/^(?:image|video|audio)\//.test(file.type)) return undefined;
  const text = await file.text();
  return text.trimStart().startsWith('{') ? text : undefined;
}

export const toWorkflowName = (file: File): string =>
  file.name.replace(/\.\w+$/, '').slice(0, 200) || file.name;
