// Decides which control edits an input of a node.
import type { InputDef } from '../../src/graph/catalog.ts';
import { listsPorts } from '../../src/graph/config-ports.ts';

export type ControlKind =
  | 'text'
  | 'color'
  | 'number'
  | 'choice'
  | 'flag'
  | 'json'
  | 'list'
  | 'template'
  | 'media'
  | 'code'
  | 'ports'
  | 'people';

const SETTABLE: ReadonlySet<string> = new Set(['TEXT', 'NUMBER', 'BOOLEAN', 'JSON']);
const COLOR = /colou?r$|^background$/i;
export const HEX_COLOR = /^#[0-9a-f]{6}$/i;

/** Returns undefined if only a connection can set the input. */
export function getControlKind({
  id,
  type,
  isPort,
  wiredOnly,
  enum: values,
  default: fallback,
}: InputDef): ControlKind | undefined {
  if (isPort && (wiredOnly === true || !SETTABLE.has(type))) return undefined;
  if (values !== undefined) return 'choice';
  if (id === 'templateId') return 'template';
  if (type === 'BOOLEAN') return 'flag';
  if (type === 'NUMBER') return 'number';
  if (type === 'TEXT') {
    if (COLOR.test(id) || (typeof fallback === 'string' && HEX_COLOR.test(fallback))) return 'color';
    if (id === 'code') return 'code';
    return id === 'url' || id === 'mediaId' ? 'media' : 'text';
  }
  if (id === 'assignees') return 'people';
  if (listsPorts({ default: fallback })) return 'ports';
  return type === 'LIST' || id === 'items' ? 'list' : 'json';
}
