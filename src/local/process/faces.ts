// Finds faces with BlazeFace, in the whole image and, for small faces, in overlapping parts of it.
import type { Face, LocalTasks, Pixels } from '../tasks.ts';
import { runModel } from './onnx.ts';
import { type Part, scalePart, toTensor } from './pixels.ts';

const SIZE = 256;
/** The grids of the model's anchors: cells per side, and anchors per cell. */
const GRIDS = [
  { cells: 16, anchors: 2 },
  { cells: 8, anchors: 6 },
] as const;
/** Cups and cats reach 0.74. */
const MIN_SCORE = 0.75;
/** Two boxes of which this share is common are the same face. */
const MAX_OVERLAP = 0.3;
const MAX_FACES = 200;
/** Parts have this share of the shorter side, and at least this share of each is also in the next. */
const [PART_SHARE, COMMON_SHARE] = [0.6, 0.3];
/** Parts of small images would be enlarged. */
const MIN_PART = 256;

export async function detectFaces({ model, image }: LocalTasks['faces']['input']): Promise<readonly Face[]> {
  const faces: Face[] = [];
  for (const part of listParts(image)) {
    const input = toTensor(scalePart(image, part, SIZE), { mean: [0.5, 0.5, 0.5], std: [0.5, 0.5, 0.5] });
    const outputs = await runModel(model, { '': input });
    faces.push(...GRIDS.flatMap(grid => readFaces(grid, outputs, part)));
  }
  faces.sort((a, b) => b.score - a.score);
  const kept: Face[] = [];
  for (const face of faces)
    if (kept.length < MAX_FACES && kept.every(other => getOverlap(face, other) < MAX_OVERLAP))
      kept.push(face);
  return kept;
}

/** Returns the image as a square, and smaller squares that overlap. */
function listParts({ width, height }: Pixels): readonly Part[] {
  const [longer, shorter] = [Math.max(width, height), Math.min(width, height)];
  const whole = { x: (width - longer) / 2, y: (height - longer) / 2, width: longer, height: longer };
  const side = Math.round(shorter * PART_SHARE);
  if (side < MIN_PART) return [whole];
  const parts = listStarts(height, side).flatMap(y =>
    listStarts(width, side).map(x => ({ x, y, width: side, height: side })),
  );
  return [whole, ...parts];
}

function listStarts(length: number, side: number): readonly number[] {
  const count = Math.ceil((length - side) / (side * (1 - COMMON_SHARE))) + 1;
  return Array.from({ length: count }, (_, index) =>
    count === 1 ? 0 : Math.round((index * (length - side)) / (count - 1)),
  );
}

type Outputs = Awaited<ReturnType<typeof runModel>>;

/** Reads the faces of a grid, in pixels of the image. Each anchor has a score, and a box in pixels of the model's input. */
function readFaces(
  { cells, anchors }: (typeof GRIDS)[number],
  outputs: Outputs,
  part: Part,
): readonly Face[] {
  const find = (length: number): Float32Array | undefined =>
    outputs.find(({ dims }) => dims[1] === cells * cells * anchors && dims[2] === length)?.values;
  const [scores, boxes] = [find(1), find(16)];
  if (scores === undefined || boxes === undefined) return [];
  const stride = SIZE / cells;
  return [...scores].flatMap((logit, anchor) => {
    const score = 1 / (1 + Math.exp(-logit));
    if (score < MIN_SCORE) return [];
    const cell = Math.floor(anchor / anchors);
    const [x = 0, y = 0, width = 0, height = 0] = boxes.subarray(16 * anchor, 16 * anchor + 4);
    const centerX = x + stride * ((cell % cells) + 0.5);
    const centerY = y + stride * (Math.floor(cell / cells) + 0.5);
    const scale = part.width / SIZE;
    return {
      x: part.x + (centerX - width / 2) * scale,
      y: part.y + (centerY - height / 2) * scale,
      width: width * scale,
      height: height * scale,
      score,
    };
  });
}

/** Returns the common area as a share of the smaller box, so that a box inside another is the same face. */
function getOverlap(a: Face, b: Face): number {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  if (width <= 0 || height <= 0) return 0;
  return (width * height) / Math.min(a.width * a.height, b.width * b.height);
}
