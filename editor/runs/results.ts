// Lists the results of a node for display.
import type { NodeState } from '../../sdk/src/types.ts';

export type Result =
  | { readonly kind: 'media'; readonly url: string; readonly posterUrl?: string | undefined }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'json'; readonly value: unknown };

export function getResults(state: NodeState): readonly Result[] {
  const urls = state.outputUrls ?? (state.outputUrl === undefined ? [] : [state.outputUrl]);
  const texts = state.texts ?? (state.text === undefined ? [] : [state.text]);
  const values = state.values ?? (state.value === undefined ? [] : [state.value]);
  return [
    ...urls.map((url): Result => ({ kind: 'media', url, posterUrl: state.render?.posterUrl })),
    ...texts.map((text): Result => ({ kind: 'text', text })),
    ...values.map((value): Result => ({ kind: 'json', value })),
  ];
}

/** Returns the complete text of a result, for copying. Media results return their URL. */
export function toText(result: Result): string {
  if (result.kind === 'text') return result.text;
  return result.kind === 'json' ? (JSON.stringify(result.value, null, 2) ?? '') : result.url;
}
