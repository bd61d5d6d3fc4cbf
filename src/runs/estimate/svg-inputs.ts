// Checks, before a run is accepted, that the SVGs it passes to paid models can be rasterized.
import type { NodeForecast } from '../../engine/forecast.ts';
import type { MediaRef } from '../../graph/types.ts';
import { AppError } from '../../lib/errors.ts';
import { createLru } from '../../lib/lru.ts';
import { SVG_TYPE } from '../../media/accepted-types.ts';
import { rasterizeSvg } from '../../media/svg/rasterize.ts';
import { readMedia } from '../../services/media/stored-media.ts';
import type { RunDeps } from '../deps.ts';

interface SvgInput {
  readonly nodeId: string;
  readonly svg: MediaRef;
}

const MAX_SVG_BYTES = 1_048_576;
const TIMEOUT_MS = 30_000;
// Keyed by the hash of the bytes, so that each SVG is checked once.
const drawableHashes = createLru<true>(10_000);

/** Throws 400 `svg_not_drawable` with an issue for each node that would receive an invalid SVG. */
export async function requireDrawable(deps: RunDeps, forecasts: readonly NodeForecast[]): Promise<void> {
  const inputs = forecasts.flatMap(findSvgInputs);
  if (inputs.length === 0) return;
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const errors = new Map<string, string | undefined>();
  for (const { svg } of inputs) {
    if (!errors.has(svg.sha256)) errors.set(svg.sha256, await findDrawingError(deps, svg, signal));
  }
  const issues = inputs.flatMap(({ nodeId, svg }) => {
    const message = errors.get(svg.sha256);
    return message === undefined ? [] : [{ nodeId, code: 'svg_not_drawable', message }];
  });
  const [firstIssue] = issues;
  if (firstIssue !== undefined) throw new AppError('svg_not_drawable', firstIssue.message, { issues });
}

function findSvgInputs({ node, pendingCallValues }: NodeForecast): readonly SvgInput[] {
  const ports = node.inputDefs.filter(({ type, isPort }) => type === 'IMAGE' && isPort);
  return pendingCallValues.flatMap(values =>
    ports.flatMap(({ id }) => {
      const media = values[id] as MediaRef | undefined;
      return media?.contentType === SVG_TYPE ? [{ nodeId: node.id, svg: media }] : [];
    }),
  );
}

async function findDrawingError(
  deps: RunDeps,
  svg: MediaRef,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (drawableHashes.get(svg.sha256)) return undefined;
  try {
    await rasterizeSvg(await readMedia(deps, svg, MAX_SVG_BYTES), signal);
    drawableHashes.set(svg.sha256, true, 1);
    return undefined;
  } catch (err) {
    if (signal.aborted) {
      throw new AppError('unavailable', 'The SVGs of this run could not be rasterized in time. Try again.', {
        headers: { 'retry-after': '5' },
      });
    }
    if (err instanceof AppError && err.code === 'unreadable_image') return `${svg.url}: ${err.message}`;
    throw err;
  }
}
