// Chooses the result that represents a row of a batch.
import type { BatchRow } from '../../../sdk/src/types.ts';
import { getMediaKind } from '../../kit/media-kind.ts';
import type { Result } from './results.ts';

type RowOutput = Readonly<Record<'nodeId' | 'url' | 'seed' | 'text' | 'value', unknown>>;

/** A result, and the node that made it. */
export type RowResult = Result & { readonly nodeId?: string };

/** Returns the first picture, video or sound of the row, or else its first text or value, or else its first file. */
export function findRowResult(row: Pick<BatchRow, 'outputs'>): RowResult | undefined {
  const outputs = row.outputs as readonly RowOutput[];
  const files = outputs.flatMap(output => toFile(output) ?? []);
  const media = files.find(file => getMediaKind(file) !== undefined);
  if (media !== undefined) return media;
  const output = outputs.find(({ text, value }) => text !== undefined || value !== undefined);
  if (output === undefined) return files[0];
  const source = toSource(output);
  return typeof output.text === 'string'
    ? { kind: 'text', text: output.text, ...source }
    : { kind: 'json', value: output.value, ...source };
}

function toFile(output: RowOutput): Extract<RowResult, { kind: 'media' }> | undefined {
  const { url, seed } = output;
  if (typeof url !== 'string') return undefined;
  return { kind: 'media', url, ...(typeof seed === 'number' && { seed }), ...toSource(output) };
}

const toSource = ({ nodeId }: RowOutput) => (typeof nodeId === 'string' ? { nodeId } : {});
