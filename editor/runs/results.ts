// What a node of a run gave, as a list of things to look at.
import type { NodeState } from '../../sdk/src/types.ts';

export type Result =
  | {
      readonly kind: 'image' | 'video' | 'audio' | 'file';
      readonly url: string;
      readonly posterUrl?: string | undefined;
    }
  | { readonly kind: 'text'; readonly text: string };

const KINDS: Readonly<Record<string, 'image' | 'video' | 'audio'>> = {
  png: 'image',
  jpg: 'image',
  jpeg: 'image',
  gif: 'image',
  webp: 'image',
  avif: 'image',
  svg: 'image',
  mp4: 'video',
  webm: 'video',
  mov: 'video',
  mp3: 'audio',
  wav: 'audio',
  m4a: 'audio',
};

export function resultsOf(state: NodeState): readonly Result[] {
  const urls = state.outputUrls ?? (state.outputUrl === undefined ? [] : [state.outputUrl]);
  const texts = state.texts ?? (state.text === undefined ? [] : [state.text]);
  const values = state.values ?? (state.value === undefined ? [] : [state.value]);
  return [
    ...urls.map((url): Result => ({ kind: kindOf(url), url, posterUrl: state.render?.posterUrl })),
    ...texts.map((text): Result => ({ kind: 'text', text })),
    ...values.map((value): Result => ({ kind: 'text', text: JSON.stringify(value, null, 2) ?? '' })),
  ];
}

function kindOf(url: string): 'image' | 'video' | 'audio' | 'file' {
  const ending = /\.(\w+)(?:[?#]|$)/.exec(url)?.[1]?.toLowerCase() ?? '';
  return KINDS[ending] ?? 'file';
}
