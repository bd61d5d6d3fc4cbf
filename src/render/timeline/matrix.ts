// Computes 2D affine matrices.
import type { Direction } from '../schema/motion.ts';
import type { Matrix } from './draw-list.ts';

export const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];

/** Unit vectors; y points down. */
export const DIRECTION_VECTORS: Readonly<Record<Direction, readonly [number, number]>> = {
  left: [-1, 0],
  right: [1, 0],
  up: [0, -1],
  down: [0, 1],
};

/** Returns the matrix that applies `b`, then `a`. */
export function multiply(a: Matrix, b: Matrix): Matrix {
  return [
    a[0] * b[0] + a[2] * b[1],
    a[1] * b[0] + a[3] * b[1],
    a[0] * b[2] + a[2] * b[3],
    a[1] * b[2] + a[3] * b[3],
    a[0] * b[4] + a[2] * b[5] + a[4],
    a[1] * b[4] + a[3] * b[5] + a[5],
  ];
}

export const translation = (x: number, y: number): Matrix => [1, 0, 0, 1, x, y];
export const scaling = (x: number, y: number): Matrix => [x, 0, 0, y, 0, 0];

/** Returns a clockwise rotation. */
export function rotation(degrees: number): Matrix {
  const radians = (degrees * Math.PI) / 180;
  const [cos, sin] = [Math.cos(radians), Math.sin(radians)];
  return [cos, sin, -sin, cos, 0, 0];
}

export function skewing(x: number, y: number): Matrix {
  const tan = (degrees: number): number => Math.tan((Math.max(-89, Math.min(89, degrees)) * Math.PI) / 180);
  return [1, tan(y), tan(x), 1, 0, 0];
}

/** Returns a matrix that applies `matrix` around the point (x, y), which stays fixed. */
export function applyAbout(x: number, y: number, matrix: Matrix): Matrix {
  return multiply(multiply(translation(x, y), matrix), translation(-x, -y));
}
