// Exports the board as an image: SVG from the diagram renderer, and PNG that contains the graph.
import { drawGraph } from '../../../../src/graph/draw/draw.ts';
import type { Board } from '../../../board/board.ts';
import { embedText } from '../../../board/png-text.ts';
import type { BoardSession } from '../../../board/session.ts';

/** Larger images are scaled down to the canvas limit of browsers. */
const MAX_SIDE = 8000;
const SCALE = 2;

export function boardSvg({ catalog }: Pick<BoardSession, 'catalog'>, board: Board): string {
  return drawGraph(board, catalog, { title: nameOf(board), theme: isDark() ? 'dark' : 'light' });
}

/** Throws if the browser cannot draw it. */
export async function boardPng(session: Pick<BoardSession, 'catalog'>, board: Board): Promise<Blob> {
  const picture = new Image();
  const address = URL.createObjectURL(new Blob([boardSvg(session, board)], { type: 'image/svg+xml' }));
  try {
    picture.src = address;
    await picture.decode();
  } finally {
    URL.revokeObjectURL(address);
  }
  const { naturalWidth: width, naturalHeight: height } = picture;
  const scale = Math.min(SCALE, MAX_SIDE / Math.max(width, height, 1));
  const canvas = new OffscreenCanvas(Math.ceil(width * scale), Math.ceil(height * scale));
  canvas.getContext('2d')?.drawImage(picture, 0, 0, canvas.width, canvas.height);
  const png = await canvas.convertToBlob({ type: 'image/png' });
  const bytes = embedText(new Uint8Array(await png.arrayBuffer()), boardJson(board));
  return new Blob([bytes], { type: 'image/png' });
}

/** The board as shown, saved or not. */
export const boardJson = ({ fields, nodes, edges }: Board): string =>
  JSON.stringify({ ...fields, nodes, edges }, null, 2);

/** Downloads it under the workflow's name. */
export function saveBoard(board: Board, content: Blob, ending: string): void {
  saveFile(content, `${nameOf(board).replaceAll(/[^\p{L}\p{N}]+/gu, '-')}.${ending}`);
}

const nameOf = ({ fields }: Board): string => String(fields.name || 'workflow');

const isDark = (): boolean =>
  document.documentElement.dataset.theme === 'dark' ||
  (document.documentElement.dataset.theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);

function saveFile(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
