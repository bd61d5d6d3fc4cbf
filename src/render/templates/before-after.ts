// Two pictures of one thing, the second wiped over the first.
import type { Template } from './template.ts';

const label = (text: object, x: string, anchor: string, start: number) => ({
  type: 'text',
  text,
  x,
  y: '8%',
  anchor,
  width: '40%',
  align: anchor === 'left' ? 'left' : 'right',
  fontSize: '4vmin',
  fontWeight: 800,
  case: 'upper',
  letterSpacing: 0.08,
  maxLines: 1,
  textBackground: { color: '#000000a8', padding: 0.6, radius: 0.5 },
  start,
  motion: { in: { preset: 'drop', duration: 0.6 } },
});

export const beforeAfter: Template = {
  id: 'before-after',
  label: 'Before and after',
  category: 'reel',
  description: 'A 4:5 post in which the second picture is drawn across the first, with a headline.',
  fps: 30,
  width: 1080,
  height: 1350,
  thumbnailFrame: 88,
  defaultProps: {
    headline: 'One weekend. One coat of paint.',
    before: 'sample:winter fog mountain',
    after: 'sample:summer meadow',
    beforeLabel: 'Before',
    afterLabel: 'After',
    accent: '#ffffff',
  },
  inputs: [
    { propPath: 'before', portId: 'before', portLabel: 'Before', portType: 'IMAGE', required: true },
    { propPath: 'after', portId: 'after', portLabel: 'After', portType: 'IMAGE', required: true },
    { propPath: 'headline', portId: 'headline', portLabel: 'Headline', portType: 'TEXT', required: false },
  ],
  graph: {
    theme: { colors: { accent: { $: 'accent' } } },
    scenes: [
      {
        duration: 7,
        background: '#101114',
        elements: [
          { type: 'image', src: { $: 'before' }, filters: [{ type: 'saturate', amount: 0.7 }] },
          {
            type: 'image',
            src: { $: 'after' },
            clip: {
              inset: [
                0,
                0,
                0,
                {
                  keyframes: [
                    { time: 1.2, value: '100%' },
                    { time: 2.6, value: '35%', easing: 'expo-in-out' },
                    { time: 3.3, value: '62%', easing: 'cubic-in-out' },
                    { time: 4.4, value: '0%', easing: 'expo-in-out' },
                  ],
                },
              ],
            },
          },
          {
            type: 'group',
            start: 1.2,
            duration: 3.2,
            x: {
              keyframes: [
                { time: 0, value: '100%' },
                { time: 1.4, value: '35%', easing: 'expo-in-out' },
                { time: 2.1, value: '62%', easing: 'cubic-in-out' },
                { time: 3.2, value: '0%', easing: 'expo-in-out' },
              ],
            },
            width: 120,
            elements: [
              { type: 'shape', shape: 'rectangle', width: 8, fill: '$accent', shadow: { blur: 30, y: 0 } },
              {
                type: 'shape',
                shape: 'circle',
                width: 104,
                height: 104,
                fill: '$accent',
                shadow: { blur: 30, y: 6 },
              },
              {
                type: 'path',
                path: 'M9 6 L4 12 L9 18 M15 6 L20 12 L15 18',
                viewBox: [0, 0, 24, 24],
                width: 56,
                height: 56,
                stroke: '#101114',
                strokeWidth: 6,
                cap: 'round',
              },
            ],
          },
          label({ $: 'beforeLabel' }, '6%', 'left', 0.3),
          label({ $: 'afterLabel' }, '94%', 'right', 2),
          {
            type: 'shape',
            shape: 'rectangle',
            y: '100%',
            anchor: 'bottom',
            height: '36%',
            fill: {
              type: 'linear',
              stops: [
                { offset: 0, color: '#00000000' },
                { offset: 1, color: '#000000d0' },
              ],
            },
          },
          {
            $if: 'headline',
            do: {
              type: 'text',
              text: { $: 'headline' },
              y: '85%',
              width: '86%',
              height: '18%',
              fontSize: '8vmin',
              fontWeight: 800,
              letterSpacing: -0.025,
              lineHeight: 1.1,
              maxLines: 3,
              start: 0.5,
              split: { by: 'word', preset: 'rise', stagger: 0.08 },
            },
          },
        ],
      },
    ],
  },
};
