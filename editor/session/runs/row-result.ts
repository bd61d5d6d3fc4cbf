// Chooses the result that represents a row of a batch.
import type { BatchRow } from '../../../sdk/src/types.ts';
import { getMediaKind } from '../../kit/media-kind.ts';
import type { Result } from './results.ts';

type RowOutput = Readonly<Record<'url' | 'text' | 'value', unknown>>;

/** Returns the first picture, video or sound of the row, or else its first text or value, or else its first file. */
export function findRowResult(row: Pick<BatchRow, 'outputs'>): Result | undefined {
  const outputs = row.outputs as readonly RowOutput[];
  const urls = outputs.map(({ url }) => url).filter(url => typeof url === 'string');
  const media = urls.find(url => getMediaKind({ url }) !== undefined);
  if (media !== undefined) return { kind: 'media', url: media };
  const output = outputs.find(({ text, value }) => text !== undefined || value !== undefined);
  if (typeof output?.text === 'string') return { kind: 'text', text: output.text };
  if (output !== undefined) return { kind: 'json', value: output.value };
  return urls[0] === undefined ? undefined : { kind: 'media', url: urls[0] };
}

/** Returns what the actions of a result download and copy. */
export function toActionTarget(result: Result | undefined): {
  readonly url?: string;
  readonly text?: string;
} {
  if (result?.kind === 'media') return { url: result.url };
  if (result?.kind === 'json') return { text: JSON.stringify(result.value) };
  return result === undefined ? {} : { text: result.text };
}
