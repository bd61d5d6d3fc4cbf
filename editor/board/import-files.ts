// Adds dropped files to the board: media become input nodes, workflows and pictures of workflows add their nodes.
import type { Position } from '../../src/graph/types.ts';
import type { Change } from './board.ts';
import { apply } from './board.ts';
import { type Pasted, readPasted } from './clipboard.ts';
import { add } from './edits.ts';
import { type Placement, placeNode } from './placement.ts';
import { readText } from './png-text.ts';
import type { BoardSession } from './session.ts';

const MEDIA = /^(image|video|audio)\//;
/** Larger files are not workflows. */
const MAX_JSON_BYTES = 20_000_000;

/** Reads the graph that a file is or contains. Returns undefined if there is none; the file may be media. */
export async function graphOfFile(file: File): Promise<Pasted | undefined> {
  if (file.size > MAX_JSON_BYTES) return undefined;
  if (file.type === 'image/png') {
    const text = readText(new Uint8Array(await file.arrayBuffer()));
    return text === undefined ? undefined : readPasted(text);
  }
  return MEDIA.test(file.type) ? undefined : readPasted(await file.text());
}

/** `image`, `video` or `audio`. */
export const mediaKindOf = ({ type }: Pick<File, 'type'>): string | undefined => MEDIA.exec(type)?.[1];

/** Creates an input node with the media, connected to the port it was dropped on. */
export function placeMedia(
  session: Pick<BoardSession, 'catalog' | 'store'>,
  { kind, url, name }: { readonly kind: string; readonly url: string; readonly name: string },
  placement: Placement,
  fallback: Position,
): { readonly id: string; readonly changes: readonly Change[] } | undefined {
  const entry = session.catalog.find(`input:${kind}`);
  if (entry === undefined) return undefined;
  const { id, changes } = placeNode(session, entry, placement, fallback);
  const label = name.replace(/\.\w+$/, '').slice(0, 80) || entry.label;
  return {
    id,
    changes: changes.map(change =>
      change.of === 'nodes' && change.before === undefined && change.after?.id === id
        ? { ...change, after: { ...change.after, data: { ...change.after.data, label, config: { url } } } }
        : change,
    ),
  };
}

/** Creates a text input node from pasted text that is not a workflow. */
export function placeText(
  session: Pick<BoardSession, 'catalog' | 'store'>,
  text: string,
  at: Position,
): { readonly id: string; readonly changes: readonly Change[] } | undefined {
  const entry = session.catalog.find('input:text');
  if (entry === undefined) return undefined;
  const { board } = session.store.getState();
  const { id, changes } = placeNode(session, entry, { at }, at);
  const node = apply(board, changes).nodes.at(-1);
  if (node === undefined) return undefined;
  const filled = { ...node, data: { ...node.data, config: { value: text } } };
  return { id, changes: add(board, { nodes: [filled] }) };
}
