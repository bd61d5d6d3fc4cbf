// What puts a finding of the lint right: a change of the board, or the place where a person has to decide.
import type { Catalog, InputDef } from '../../../src/graph/catalog.ts';
import type { LintIssue } from '../../../src/graph/issues.ts';
import type { GraphNode } from '../../../src/graph/types.ts';
import { type Board, type Change, findNode } from '../board.ts';

/** `label` is for the button. */
export type Remedy =
  | { readonly kind: 'change'; readonly label: string; readonly changes: readonly Change[] }
  /** The field of that input, or the palette with what can feed it where an edge alone does. */
  | { readonly kind: 'fill'; readonly label: string; readonly nodeId: string; readonly input: InputDef }
  | { readonly kind: 'page'; readonly label: string; readonly href: string };

/** A finding with what the rules' remedies ask for. The board may have changed since it was found. */
export interface Finding {
  readonly board: Board;
  readonly catalog: Catalog;
  readonly issue: LintIssue;
}

/** The remedy of one rule; undefined where nothing follows from it for this board. */
export type FindRemedy = (finding: Finding) => Remedy | undefined;

/** A change; undefined where there would be none. */
export function change(label: string, changes: readonly Change[]): Remedy | undefined {
  return changes.length === 0 ? undefined : { kind: 'change', label, changes };
}

export function nodeOf({ board, issue }: Finding): GraphNode | undefined {
  return issue.nodeId === undefined ? undefined : findNode(board, issue.nodeId);
}

/** The last segment of the finding's JSON pointer: a key of the settings, or a place in a list. */
export function lastSegment({ issue }: Finding): string {
  const segment = issue.path?.split('/').at(-1) ?? '';
  return segment.replaceAll('~1', '/').replaceAll('~0', '~');
}
