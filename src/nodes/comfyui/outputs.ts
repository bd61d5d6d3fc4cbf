// Collects the results of a ComfyUI graph by output port, and stores their files.
import type { ComfyOutput } from '../../graph/comfyui/ports.ts';
import type { Value } from '../../graph/types.ts';
import { jsonToValue } from '../../graph/values.ts';
import { parseJson } from '../../lib/record.ts';
import type { DownloadedOutput } from '../../providers/run-call.ts';
import { type NodeContext, NodeError, type NodeOutput } from '../define.ts';
import { storeResultFiles } from '../models/provider-call.ts';
import { requireShortText } from '../value-checks.ts';

const KINDS = { IMAGE: 'image', VIDEO: 'video', AUDIO: 'audio' } as const;

/** Returns the values by port. A port whose node made nothing has no value. */
export async function collectOutputs(
  outputs: readonly ComfyOutput[],
  output: DownloadedOutput,
  ctx: NodeContext,
): Promise<Readonly<Record<string, NodeOutput>>> {
  const values: Record<string, NodeOutput> = {};
  for (const port of outputs) {
    const items = await collectItems(port, output, ctx);
    const [first] = items;
    if (first === undefined) continue;
    values[port.id] = port.isList === true || items.length > 1 ? { type: 'LIST', items } : first;
  }
  return values;
}

async function collectItems(
  { type, node }: ComfyOutput,
  output: DownloadedOutput,
  ctx: NodeContext,
): Promise<readonly Value[]> {
  if (type === 'TEXT' || type === 'NUMBER' || type === 'JSON') {
    const { nodeTexts = {} } = output;
    const texts = Object.hasOwn(nodeTexts, node) ? (nodeTexts[node] ?? []) : [];
    return texts.map(text => toItem(type, requireShortText(text)));
  }
  const files = output.files.filter((_, index) => output.fileNodes?.[index] === node);
  return files.length === 0 ? [] : storeResultFiles({ ...output, files }, KINDS[type], 'comfyui', ctx);
}

function toItem(type: 'TEXT' | 'NUMBER' | 'JSON', text: string): Value {
  if (type === 'TEXT') return { type, text };
  const parsed = parseJson(text);
  if (type === 'JSON') return { type, json: parsed === undefined ? text : (parsed as never) };
  if (typeof parsed === 'number') return jsonToValue(parsed);
  throw new NodeError(
    'provider_bad_output',
    `ComfyUI returned a text that is not a number: ${text.slice(0, 60)}`,
  );
}
