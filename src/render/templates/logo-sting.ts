// Three seconds of a name: shapes gather, burst, and leave it standing.
import type { Template } from './template.ts';

const COUNT = 12;
const rays = Array.from({ length: COUNT }, (_, index) => ({
  type: 'group',
  width: 10,
  height: 10,
  rotation: (360 / COUNT) * index,
  start: 0.55,
  duration: 0.9,
  elements: [
    {
      type: 'shape',
      shape: 'rectangle',
      radius: 7,
      width: 14,
      height: {
        keyframes: [
          { time: 0, value: 20 },
          { time: 0.3, value: 190, easing: 'expo-out' },
          { time: 0.8, value: 0, easing: 'cubic-in' },
        ],
      },
      y: {
        keyframes: [
          { time: 0, value: -60 },
          { time: 0.8, value: -470, easing: 'expo-out' },
        ],
      },
      fill: index % 2 === 0 ? '$accent' : '$second',
    },
  ],
}));

export const logoSting: Template = {
  id: 'logo-sting',
  label: 'Logo sting',
  category: 'brand',
  description:
    'Three and a half seconds for the start or end of a video: a mark bursts open and the name is left standing.',
  fps: 30,
  width: 1920,
  height: 1080,
  thumbnailFrame: 80,
  defaultProps: {
    name: 'Northwind',
    tagline: 'Films & Motion',
    accent: '#ff4d6d',
    second: '#ffd166',
    ground: '#14121f',
  },
  inputs: [
    { propPath: 'name', portId: 'name', portLabel: 'Name', portType: 'TEXT', required: true },
    { propPath: 'tagline', portId: 'tagline', portLabel: 'Tagline', portType: 'TEXT', required: false },
    { propPath: 'logo', portId: 'logo', portLabel: 'Logo', portType: 'IMAGE', required: false },
  ],
  graph: {
    theme: { colors: { accent: { $: 'accent' }, second: { $: 'second' } } },
    scenes: [
      {
        duration: 3.5,
        background: { $: 'ground' },
        elements: [
          {
            type: 'shape',
            shape: 'circle',
            y: '42%',
            width: 30,
            height: 30,
            fill: '$accent',
            duration: 0.62,
            scale: {
              keyframes: [
                { time: 0, value: 0 },
                { time: 0.3, value: 3, easing: 'back-out' },
                { time: 0.45, value: 2.2 },
                { time: 0.6, value: 16, easing: 'expo-in' },
              ],
            },
          },
          { type: 'group', y: '42%', width: 10, height: 10, elements: rays },
          {
            type: 'shape',
            shape: 'circle',
            y: '42%',
            width: 720,
            height: 720,
            start: 0.55,
            duration: 0.75,
            fill: '#00000000',
            stroke: '$accent',
            strokeWidth: {
              keyframes: [
                { time: 0, value: 150 },
                { time: 0.7, value: 0, easing: 'expo-out' },
              ],
            },
            scale: {
              keyframes: [
                { time: 0, value: 0.3 },
                { time: 0.7, value: 1.25, easing: 'expo-out' },
              ],
            },
          },
          {
            type: 'group',
            start: 0.6,
            y: '42%',
            width: 150,
            height: 150,
            duration: '83%',
            motion: { in: { preset: 'spin', duration: 0.9 } },
            x: '50%',
            elements: [
              {
                $if: 'logo',
                do: { type: 'image', src: { $: 'logo' }, fit: 'contain' },
                else: {
                  type: 'group',
                  elements: [
                    { type: 'shape', shape: 'polygon', sides: 3, y: '44%', fill: '$accent' },
                    {
                      type: 'shape',
                      shape: 'polygon',
                      sides: 3,
                      x: '66%',
                      y: '58%',
                      width: '66%',
                      height: '66%',
                      fill: '$second',
                      blend: 'screen',
                    },
                  ],
                },
              },
            ],
          },
          {
            type: 'text',
            text: { $: 'name' },
            y: '60%',
            width: '80%',
            height: '17%',
            fontSize: '15vmin',
            fontWeight: 800,
            letterSpacing: -0.04,
            maxLines: 1,
            start: 0.85,
            split: { by: 'letter', preset: 'rise', stagger: 0.035, duration: 0.7 },
          },
          {
            $if: 'tagline',
            do: {
              type: 'text',
              text: { $: 'tagline' },
              y: '72%',
              width: '70%',
              height: '6%',
              fontSize: '3.4vmin',
              fontWeight: 500,
              letterSpacing: 0.32,
              case: 'upper',
              color: '#ffffffb8',
              maxLines: 1,
              start: 1.4,
              motion: { in: { preset: 'blur', duration: 0.8 } },
            },
          },
        ],
      },
    ],
  },
};
