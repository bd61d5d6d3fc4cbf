// Ready-made scenes that a graph names by blockId instead of writing elements.
import type { SceneGraph } from '../schema/scene-graph.ts';
import { bindProps, type Props } from './bind.ts';

export interface Block {
  readonly id: string;
  readonly description: string;
  readonly props: Props;
  /** Background and elements, as bind.ts reads them. */
  readonly scene: Readonly<Record<string, unknown>>;
}

const kicker = {
  $if: 'kicker',
  do: {
    type: 'text',
    text: { $: 'kicker' },
    y: '30%',
    width: '80%',
    height: '5%',
    fontSize: '3.6vmin',
    fontWeight: 700,
    case: 'upper',
    letterSpacing: 0.16,
    color: { $: 'accent' },
    maxLines: 1,
    motion: { in: { preset: 'fade' } },
  },
};
const LOOK = { accent: '#ffb703', ground: '#0f172a' };

export const BLOCKS: readonly Block[] = [
  {
    id: 'title',
    description: 'A title with a line above and one below: kicker, title, subtitle, accent, ground.',
    props: { ...LOOK, kicker: '', title: 'Title', subtitle: '' },
    scene: {
      background: { $: 'ground' },
      elements: [
        kicker,
        {
          type: 'text',
          text: { $: 'title' },
          y: '48%',
          width: '82%',
          height: '26%',
          fontSize: '13vmin',
          fontWeight: 900,
          letterSpacing: -0.03,
          lineHeight: 1.04,
          split: { by: 'word', preset: 'rise' },
        },
        {
          $if: 'subtitle',
          do: {
            type: 'text',
            text: { $: 'subtitle' },
            y: '68%',
            width: '74%',
            height: '10%',
            fontSize: '4.4vmin',
            fontWeight: 500,
            color: '#ffffffc0',
            maxLines: 2,
            start: 0.5,
            motion: { in: { preset: 'rise' } },
          },
        },
      ],
    },
  },
  {
    id: 'picture',
    description: 'A picture over the whole frame with a caption: image, caption.',
    props: { image: 'sample:picture', caption: '' },
    scene: {
      background: '#000000',
      elements: [
        { type: 'image', src: { $: 'image' }, motion: { kenBurns: {} } },
        {
          $if: 'caption',
          do: {
            type: 'text',
            text: { $: 'caption' },
            y: '86%',
            width: '84%',
            height: '14%',
            fontSize: '5.4vmin',
            fontWeight: 700,
            textBackground: { color: '#000000b0' },
            maxLines: 2,
            start: 0.4,
            motion: { in: { preset: 'slide-up' } },
          },
        },
      ],
    },
  },
  {
    id: 'stat',
    description: 'A number that counts up, and what it counts: value, prefix, suffix, label, accent, ground.',
    props: { ...LOOK, value: 100, prefix: '', suffix: '', label: '' },
    scene: {
      background: { $: 'ground' },
      elements: [
        {
          type: 'counter',
          to: { $: 'value' },
          prefix: { $: 'prefix' },
          suffix: { $: 'suffix' },
          y: '45%',
          width: '86%',
          height: '34%',
          fontSize: '26vmin',
          fontWeight: 900,
          letterSpacing: -0.05,
          color: { $: 'accent' },
        },
        {
          $if: 'label',
          do: {
            type: 'text',
            text: { $: 'label' },
            y: '66%',
            width: '76%',
            height: '14%',
            fontSize: '5vmin',
            fontWeight: 600,
            maxLines: 3,
            motion: { in: { preset: 'rise', delay: 0.3 } },
          },
        },
      ],
    },
  },
  {
    id: 'list',
    description: 'A title and rows beneath it: title, items (texts, up to six), accent, ground.',
    props: { ...LOOK, title: '', items: [] },
    scene: {
      background: { $: 'ground' },
      elements: [
        {
          $if: 'title',
          do: {
            type: 'text',
            text: { $: 'title' },
            y: '18%',
            width: '84%',
            height: '14%',
            fontSize: '8vmin',
            fontWeight: 800,
            letterSpacing: -0.02,
            maxLines: 2,
            motion: { in: { preset: 'rise' } },
          },
        },
        {
          $each: 'items',
          do: {
            type: 'text',
            text: { $: 'item' },
            y: { $step: [34, 11], unit: '%' },
            width: '80%',
            height: '9%',
            align: 'start',
            fontSize: '5vmin',
            maxLines: 2,
            start: { $step: [0.3, 0.3] },
            motion: { in: { preset: 'slide-left' } },
          },
        },
      ],
    },
  },
  {
    id: 'call-to-action',
    description: 'A line and a button: title, action, accent, ground.',
    props: { ...LOOK, title: '', action: 'Learn more' },
    scene: {
      background: { $: 'ground' },
      elements: [
        {
          $if: 'title',
          do: {
            type: 'text',
            text: { $: 'title' },
            y: '40%',
            width: '82%',
            height: '24%',
            fontSize: '10vmin',
            fontWeight: 800,
            letterSpacing: -0.02,
            split: { by: 'word' },
          },
        },
        {
          type: 'text',
          text: { $: 'action' },
          y: '64%',
          width: '70%',
          height: '12%',
          fontSize: '5.4vmin',
          fontWeight: 800,
          color: { $: 'ground' },
          maxLines: 1,
          textBackground: { color: { $: 'accent' }, padding: 0.9, radius: 1.5 },
          start: 0.5,
          motion: { in: { preset: 'pop' }, loop: { preset: 'pulse', period: 1.6 } },
        },
      ],
    },
  },
];

/** The graph with its block scenes written out; a scene whose block does not exist is left for the caller to refuse. */
export function expandBlocks(graph: SceneGraph): {
  readonly graph: unknown;
  readonly unknown: readonly string[];
} {
  const unknown: string[] = [];
  const scenes = graph.scenes.map((scene, index) => {
    if (scene.blockId === undefined) return scene;
    const block = BLOCKS.find(({ id }) => id === scene.blockId);
    if (block === undefined) {
      unknown.push(`/scenes/${index}/blockId`);
      return scene;
    }
    const { blockId: _blockId, props, ...own } = scene;
    const made = bindProps(block.scene, { ...block.props, ...props }) as { elements: unknown[] };
    return { ...made, ...own, elements: [...made.elements, ...(own.elements ?? [])] };
  });
  return { graph: { ...graph, scenes }, unknown };
}
