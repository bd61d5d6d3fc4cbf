// A moment of a podcast: cover, waveform, captions.
import type { Template } from './template.ts';

// Speech as a waveform draws it: syllables, words and breaths, without any sound behind it.
const SPEECH = Array.from({ length: 400 }, (_, index) => {
  const phrase = Math.max(0, Math.sin(index / 19) * 0.6 + 0.45);
  const syllable = 0.35 + 0.65 * Math.abs(Math.sin(index * 1.7) * Math.cos(index * 0.61));
  return Math.round(Math.min(1, phrase * syllable) * 1000) / 1000;
});

export const podcastAudiogram: Template = {
  id: 'podcast-audiogram',
  label: 'Podcast audiogram',
  category: 'podcast',
  description: 'A square audiogram: cover, episode, moving waveform and captions that mark the spoken word.',
  fps: 30,
  width: 1080,
  height: 1080,
  thumbnailFrame: 75,
  defaultProps: {
    show: 'Good Questions',
    episode: 'Why we forget what we read',
    guest: 'with Dr. Lena Ortiz',
    cover: 'sample:violet dream',
    peaks: SPEECH,
    words: 'You do not remember a book. You remember the person you were while reading it.'
      .split(' ')
      .map((text, index) => ({ text, start: 0.4 + index * 0.42, end: 0.78 + index * 0.42 })),
    accent: '#c4b5fd',
    ground: '#120b2e',
    seconds: 8,
  },
  inputs: [
    { propPath: 'audio', portId: 'audio', portLabel: 'Audio', portType: 'AUDIO', required: true },
    { propPath: 'words', portId: 'words', portLabel: 'Words with times', portType: 'JSON', required: false },
    { propPath: 'episode', portId: 'episode', portLabel: 'Episode', portType: 'TEXT', required: false },
    { propPath: 'cover', portId: 'cover', portLabel: 'Cover', portType: 'IMAGE', required: false },
  ],
  graph: {
    theme: { colors: { accent: { $: 'accent' } } },
    audioTrack: { $if: 'audio', do: { items: [{ role: 'voice', src: { $: 'audio' } }] } },
    captionTrack: {
      words: { $: 'words' },
      mode: 'karaoke',
      maxWords: 5,
      position: 'middle',
      safeArea: 0.08,
      style: { fontSize: '7.4vmin', fontWeight: 800, letterSpacing: -0.02 },
      active: { color: '#120b2e', background: '$accent' },
    },
    scenes: [
      {
        duration: { $: 'seconds' },
        background: {
          type: 'linear',
          angle: 150,
          stops: [
            { offset: 0, color: { $: 'ground' } },
            { offset: 1, color: '#3b1f74' },
          ],
        },
        elements: [
          {
            type: 'shape',
            shape: 'ellipse',
            x: '80%',
            y: '78%',
            width: '110vmin',
            height: '110vmin',
            opacity: 0.35,
            fill: {
              type: 'radial',
              radius: 0.5,
              stops: [
                { offset: 0, color: '$accent' },
                { offset: 1, color: '#00000000' },
              ],
            },
            motion: { loop: { preset: 'breathe', period: 4 } },
          },
          {
            type: 'image',
            src: { $: 'cover' },
            x: '8%',
            y: '8%',
            anchor: 'top-left',
            width: '24%',
            height: '24%',
            radius: 36,
            shadow: { blur: 50, y: 20 },
            motion: { in: { preset: 'pop' } },
          },
          {
            type: 'text',
            text: { $: 'show' },
            x: '37%',
            y: '11%',
            anchor: 'left',
            width: '55%',
            height: '5%',
            align: 'left',
            fontSize: '3.2vmin',
            fontWeight: 700,
            case: 'upper',
            letterSpacing: 0.12,
            color: '$accent',
            maxLines: 1,
            motion: { in: { preset: 'slide-left', distance: 60, delay: 0.1 } },
          },
          {
            type: 'text',
            text: { $: 'episode' },
            x: '37%',
            y: '20.5%',
            anchor: 'left',
            width: '55%',
            height: '13%',
            align: 'left',
            fontSize: '5.6vmin',
            fontWeight: 800,
            lineHeight: 1.1,
            letterSpacing: -0.02,
            maxLines: 2,
            motion: { in: { preset: 'slide-left', distance: 60, delay: 0.2 } },
          },
          {
            $if: 'guest',
            do: {
              type: 'text',
              text: { $: 'guest' },
              x: '37%',
              y: '30%',
              anchor: 'left',
              width: '55%',
              height: '4.5%',
              align: 'left',
              fontSize: '3.2vmin',
              fontWeight: 500,
              color: '#ffffffb0',
              maxLines: 1,
              motion: { in: { preset: 'slide-left', distance: 60, delay: 0.3 } },
            },
          },
          {
            type: 'waveform',
            src: { $: 'audio' },
            peaks: { $if: 'audio', else: { $: 'peaks' } },
            y: '82%',
            width: '84%',
            height: '16%',
            color: {
              type: 'linear',
              angle: 90,
              stops: [
                { offset: 0, color: '#ffffff' },
                { offset: 1, color: '$accent' },
              ],
            },
            bars: 52,
            motion: { in: { preset: 'grow-y', delay: 0.2 } },
          },
        ],
      },
    ],
    overlays: [
      {
        type: 'progress',
        x: '8%',
        y: '94.5%',
        anchor: 'left',
        width: '84%',
        height: 8,
        color: '$accent',
        trackColor: '#ffffff26',
      },
    ],
  },
};
