// Exports the board as an image: SVG from the diagram renderer, and PNG that contains the graph.
import { drawGraph } from '../../../../src/graph/draw/draw.ts';
import type { Board } from '../../../board/board.ts';
import type { OpenBoard } from '../../../board/open-board.ts';
import { embedText } from '../../../board/png-text.ts';

/** Browsers limit the size of a canvas. Larger images are scaled down. */
const MAX_SIDE_PX = 8000;
const SCALE = 2;

export function renderBoardSvg({ catalog }: Pick<OpenBoard, 'catalog'>, board: Board): string {
  return drawGraph(board, catalog, { title: getName(board), theme: isDark() ? 'dark' : 'light' });
}

/** Throws if the browser cannot draw the image. */
export async function renderBoardPng(session: Pick<OpenBoard, 'catalog'>, board: Board): Promise<Blob> {
  const image = new Image();
  const url = URL.createObjectURL(new Blob([renderBoardSvg(session, board)], { type: 'image/svg+xml' }));
  try {
    image.src = url;
    await image.decode();
  } finally {
    URL.revokeObjectURL(url);
  }
  const { naturalWidth: width, naturalHeight: height } = image;
  const scale = Math.min(SCALE, MAX_SIDE_PX / Math.max(width, height, 1));
  const canvas = new OffscreenCanvas(Math.ceil(width * scale), Math.ceil(height * scale));
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  const png = await canvas.convertToBlob({ type: 'image/png' });
  const bytes = embedText(new Uint8Array(await png.arrayBuffer()), toBoardJson(board));
  return new Blob([bytes], { type: 'image/png' });
}

/** Returns the JSON of the board on screen, even if it is not saved. */
export const toBoardJson = ({ fields, nodes, edges }: Board): string =>
  JSON.stringify({ ...fields, nodes, edges }, null, 2);

/** Downloads an export, with the workflow's name as file name. */
export function downloadBoard(board: Board, content: Blob, extension: string): void {
  downloadFile(content, `${getName(board).replaceAll(/[^\p{L}\p{N}]+/gu, '-')}.${extension}`);
}

const getName = ({ fields }: Board): string => String(fields.name || 'workflow');

const isDark = (): boolean =>
  document.documentElement.dataset.theme === 'dark' ||
  (document.documentElement.dataset.theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);

function downloadFile(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
