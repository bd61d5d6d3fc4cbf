// Computes overlap, distance and bounding box of rectangles on the canvas.

/** A rectangle in canvas pixels, y downwards. */
export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Returns whether two rectangles are closer to each other than `gap`. */
export function isNear(a: Rect, b: Rect, gap: number): boolean {
  return (
    a.x < b.x + b.width + gap &&
    b.x < a.x + a.width + gap &&
    a.y < b.y + b.height + gap &&
    b.y < a.y + a.height + gap
  );
}

/** Returns the distance between the nearest points; 0 if they touch. */
export function getDistance(a: Rect, b: Rect): number {
  const dx = Math.max(0, a.x - b.x - b.width, b.x - a.x - a.width);
  const dy = Math.max(0, a.y - b.y - b.height, b.y - a.y - a.height);
  return Math.hypot(dx, dy);
}

/** Returns the bounding box of the rectangles, or undefined if there are none. */
export function getBoundingBox(rects: readonly Rect[]): Rect | undefined {
  if (rects.length === 0) return undefined;
  const x = rects.reduce((min, rect) => Math.min(min, rect.x), Number.POSITIVE_INFINITY);
  const y = rects.reduce((min, rect) => Math.min(min, rect.y), Number.POSITIVE_INFINITY);
  const right = rects.reduce((max, rect) => Math.max(max, rect.x + rect.width), Number.NEGATIVE_INFINITY);
  const bottom = rects.reduce((max, rect) => Math.max(max, rect.y + rect.height), Number.NEGATIVE_INFINITY);
  return { x, y, width: right - x, height: bottom - y };
}

/** Returns the smallest downward shift that keeps all of `moving` at least `gap` away from all of `fixed`. */
export function computeDownwardShift(moving: readonly Rect[], fixed: readonly Rect[], gap: number): number {
  let shift = 0;
  for (;;) {
    let nextShift = 0;
    for (const rect of moving) {
      const shiftedRect = { ...rect, y: rect.y + shift };
      for (const other of fixed) {
        if (!isNear(shiftedRect, other, gap)) continue;
        nextShift = Math.max(nextShift, other.y + other.height + gap - shiftedRect.y);
      }
    }
    // Terminates: each iteration moves below at least one more fixed rectangle.
    if (nextShift <= 0) return shift;
    shift += nextShift;
  }
}
