// Lists the results of a node for display.
import type { NodeState } from '../../../sdk/src/types.ts';
import { getMediaInputKind, isInputNode } from '../../../src/graph/input-nodes.ts';
import type { GraphNode } from '../../../src/graph/types.ts';
import { getShownOutput } from '../../board/call.ts';
import type { NodeDisplay } from './stored-results.ts';

export type Result = ResultValue & {
  /** The output port, if the node has results of several ports. */
  readonly port?: string;
};

type ResultValue =
  | {
      readonly kind: 'media';
      readonly url: string;
      readonly posterUrl?: string | undefined;
      /** If absent, derived from the URL. */
      readonly contentType?: string | undefined;
      /** The seed from which a model made it. */
      readonly seed?: number | undefined;
    }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'json'; readonly value: unknown };

export function getResults(state: NodeState): readonly Result[] {
  if (state.ports !== undefined)
    return state.ports.flatMap(({ id, text, url, value, seed }): readonly Result[] => {
      if (text !== undefined) return [{ kind: 'text', text, port: id }];
      if (url !== undefined)
        return [{ kind: 'media', url, posterUrl: state.render?.posterUrl, port: id, seed }];
      // A list of media has only URLs, so that of the record tells it from a list of texts.
      return Array.isArray(value) && value.length > 0 && value.every(item => state.outputUrls?.includes(item))
        ? value.map((item: string) => ({ kind: 'media', url: item, port: id }))
        : [{ kind: 'json', value, port: id }];
    });
  const urls = state.outputUrls ?? (state.outputUrl === undefined ? [] : [state.outputUrl]);
  const texts = state.texts ?? (state.text === undefined ? [] : [state.text]);
  const values = state.values ?? (state.value === undefined ? [] : [state.value]);
  return [
    ...urls.map(
      (url, index): Result => ({
        kind: 'media',
        url,
        posterUrl: state.render?.posterUrl,
        seed: state.seeds?.[index] ?? state.seed,
      }),
    ),
    ...texts.map((text): Result => ({ kind: 'text', text })),
    ...values.map((value): Result => ({ kind: 'json', value })),
  ];
}

/** Returns the text of a result inside a node, which begins with the port. */
export const toSmallText = (result: Result): string =>
  `${result.port === undefined ? '' : `${result.port}: `}${toResultText(result)}`;

/** Returns the complete text of a result, for copying. Media results return their URL. */
export function toResultText(result: Result): string {
  if (result.kind === 'text') return result.text;
  return result.kind === 'json' ? (JSON.stringify(result.value, null, 2) ?? '') : result.url;
}

/** Number of results shown in the node. The dialog shows all. */
export const MAX_SHOWN_RESULTS = 4;

/** Returns the state whose results a node shows: the node's state, or for a call the state of the chosen output. */
export function findShownState(node: GraphNode, state: NodeDisplay | undefined): NodeDisplay | undefined {
  const output = state?.findInner && getShownOutput(node)?.id;
  return output === undefined ? state : state?.findInner?.(output);
}

/** Returns whether the node or an upstream node has changed since the shown result. A chosen file is always current. */
export const isResultOutdated = (node: GraphNode, shown: NodeDisplay | undefined): boolean =>
  shown?.isOutdated === true && getChosenFile(node) === undefined;

/** Returns the file that a media input node shows. */
function getChosenFile({ data }: GraphNode): Result | undefined {
  const kind = getMediaInputKind(data.nodeType);
  const url = data.config?.url;
  return kind !== undefined && typeof url === 'string' && isOwnUrl(url)
    ? { kind: 'media', url, contentType: `${kind}/*` }
    : undefined;
}

/** Returns the results to show on a node: the media file of an input node, otherwise the results of its run. */
export function getNodeResults(node: GraphNode, nodeState: NodeDisplay | undefined): readonly Result[] {
  const { data } = node;
  const state = findShownState(node, nodeState);
  const file = getChosenFile(node);
  if (file !== undefined) return [file];
  if (state === undefined) return [];
  // The field of an input node already shows its value. A run may have used several values, or another file.
  const results = getResults(state);
  const isShownByField =
    results.length <= 1 && isInputNode(node) && getMediaInputKind(data.nodeType) === undefined;
  return isShownByField || data.nodeType === 'input:list' ? [] : results;
}

/** Returns whether the page may show the media: its policy blocks other hosts. */
function isOwnUrl(url: string): boolean {
  return URL.canParse(url, location.origin) && new URL(url, location.origin).origin === location.origin;
}
