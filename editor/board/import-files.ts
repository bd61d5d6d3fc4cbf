// Adds input nodes for dropped media and pasted text to the board.
import type { Position } from '../../src/graph/types.ts';
import { apply, type Change } from './board.ts';
import { add } from './edits.ts';
import type { OpenBoard } from './open-board.ts';
import { type Placement, placeNode } from './placement.ts';

const MEDIA = /^(image|video|audio)\//;
/** Returns the kind of the file: `image`, `video` or `audio`. */
export const getMediaKind = ({ type }: Pick<File, 'type'>): string | undefined => MEDIA.exec(type)?.[1];

/** Creates an input node with the media, connected to the port of `placement` if there is one. */
export function placeMedia(
  session: Pick<OpenBoard, 'catalog' | 'store'>,
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
  session: Pick<OpenBoard, 'catalog' | 'store'>,
  text: string,
  position: Position,
): { readonly id: string; readonly changes: readonly Change[] } | undefined {
  const entry = session.catalog.find('input:text');
  if (entry === undefined) return undefined;
  const { board } = session.store.getState();
  const { id, changes } = placeNode(session, entry, { position }, position);
  const node = apply(board, changes).nodes.at(-1);
  if (node === undefined) return undefined;
  const nodeWithText = { ...node, data: { ...node.data, config: { value: text } } };
  return { id, changes: add(board, { nodes: [nodeWithText] }) };
}
