// The open board for the components that show it, and the state of the view that is no part of the board.
import { createContext, type ReactNode, useContext } from 'react';
import { createStore, type StoreApi, useStore } from 'zustand';
import type { RunRequest } from '../../sdk/src/types.ts';
import type { LintIssue } from '../../src/graph/issues.ts';
import type { Position } from '../../src/graph/types.ts';
import type { Estimate, RunKind } from '../runs/plan-run.ts';
import type { RunStore } from '../runs/run-store.ts';
import type { Board } from './board.ts';
import type { Difference } from './difference.ts';
import type { BoardSession } from './session.ts';
import type { BoardState } from './store.ts';

/** One end of an edge that is being made. */
export interface PortRef {
  readonly nodeId: string;
  /** `in-…` or `out-…`. */
  readonly handle: string;
}

/** Where a new node goes, and what it is to be joined with. */
export interface Placing {
  readonly at?: Position | undefined;
  readonly from?: PortRef | undefined;
}

/** What opens over the board. */
export type Panel =
  | { readonly kind: 'add'; readonly placing: Placing; readonly text?: string }
  | { readonly kind: 'commands' | 'keys' | 'find' | 'runs' | 'versions' | 'share' | 'export' | 'secrets' }
  | { readonly kind: 'result'; readonly nodeId: string; readonly index?: number };

/** A run of a part of the board that is about to start. */
export interface PlannedRun {
  readonly kind: RunKind;
  readonly request: RunRequest;
  /** By node id what will be done with it; a node that is not there has no part in the run. */
  readonly states: ReadonlyMap<string, 'run' | 'cached' | 'kept'>;
  /** Absent while it is worked out. */
  readonly estimate?: Estimate;
}

/** The board next to one of its versions. */
export interface ShownDiff {
  readonly version: number;
  /** As it was when it was compared. */
  readonly board: Board;
  readonly difference: Difference;
}

export interface View {
  readonly diff?: ShownDiff | undefined;
  /** Nodes that somebody else has just changed. */
  readonly touched?: { readonly by: string; readonly ids: ReadonlySet<string> } | undefined;
  readonly plan?: PlannedRun | undefined;
  readonly panel: Panel | undefined;
  /** What lint finds in the board as it stands, by node: of an edge at the node where it ends. */
  readonly issues: ReadonlyMap<string, readonly LintIssue[]>;
  /** The open end of the edge that is being made, by pointer or keyboard. */
  readonly connecting: PortRef | undefined;
  /** What the next movement of the pointer draws around nodes, to select them. */
  readonly tool: 'box' | 'lasso' | undefined;
  /** Groups whose nodes are not shown, in this browser alone. */
  readonly collapsed: ReadonlySet<string>;
  /** The menu of a right click or a long press, in pixels of the window. */
  readonly menu: { readonly at: Position; readonly isOnNode: boolean } | undefined;
  /** Read aloud by screen readers. */
  readonly announcement: string;
}

/** What the canvas can do for other parts; there once it is drawn. */
export interface CanvasActions {
  center(): Position;
  /** Where what is pasted goes: under the pointer, or to the middle where that is not over the board. */
  pasteAt(): Position;
  /** A point of the window on the board. */
  toBoard(point: Position): Position;
  fit(ids?: readonly string[]): void;
  focusNode(id: string): void;
  focus(): void;
}

export interface EditorContextValue {
  readonly session: BoardSession;
  readonly runs: RunStore;
  readonly view: StoreApi<View>;
  readonly canvas: { current: CanvasActions | undefined };
}

const Context = createContext<EditorContextValue | undefined>(undefined);

export function EditorProvider({
  value,
  children,
}: {
  readonly value: EditorContextValue;
  readonly children: ReactNode;
}) {
  return <Context value={value}>{children}</Context>;
}

export const createView = (): StoreApi<View> =>
  createStore<View>(() => ({
    panel: undefined,
    issues: new Map(),
    connecting: undefined,
    tool: undefined,
    collapsed: new Set(),
    menu: undefined,
    announcement: '',
  }));

export function useEditor(): EditorContextValue {
  const value = useContext(Context);
  if (value === undefined) throw new Error('There is no board here.');
  return value;
}

/** A part of the board's state. */
export function useBoard<T>(select: (state: BoardState) => T): T {
  return useStore(useEditor().session.store, select);
}

export function useView<T>(select: (view: View) => T): T {
  return useStore(useEditor().view, select);
}
