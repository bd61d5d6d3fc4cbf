// Builds the authoring guide: prose, examples, and tables generated from the schema so that they stay in sync.
import { BLOCKS } from '../templates/blocks.ts';
import { COMMON_MEANING } from './common.ts';
import { KINDS } from './elements.ts';
import { SCENE_GRAPH_SCHEMA } from './scene-graph.ts';

interface Described {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Described>>;
  readonly required?: readonly string[];
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
}

// The schema as it is published: plain JSON without the types of the modules.
const SCHEMA: Described & { readonly $defs: Readonly<Record<string, Described>> } = JSON.parse(
  JSON.stringify(SCENE_GRAPH_SCHEMA),
);

const INTRODUCTION = `# Authoring a scene graph

Write one JSON object that describes a video. It is drawn frame by frame from that object alone: no browser, no scripts,
no randomness, so the same graph always gives the same pictures. Only what is listed here exists; a property that is
not known is refused, by its JSON pointer. Preview stills with POST /render/renderer/preview before you render.

## The whole

Required: \`fps\`, \`width\`, \`height\`, \`scenes\`. Usual sizes: 1080 × 1920 (reel), 1080 × 1080 (post), 1920 × 1080 (wide);
30 frames a second. From back to front a frame shows: \`background\`, the scene of that moment (two during a
transition), \`tracks\`, \`captionTrack\`, \`overlays\`.

\`\`\`json
{
  "fps": 30, "width": 1080, "height": 1920,
  "theme": { "colors": { "accent": "#ff6b3d", "ink": "#15100d" }, "fonts": { "heading": "Playfair Display" } },
  "scenes": [
    { "duration": 3, "background": "$ink", "elements": [
      { "type": "text", "text": "Coffee that waits for you", "fontSize": "12vmin", "fontFamily": "$heading",
        "split": { "by": "word", "preset": "rise", "stagger": 0.1 } } ] },
    { "duration": 4, "transition": { "type": "push", "direction": "up" }, "background": "$accent", "elements": [
      { "type": "image", "src": "https://example.com/cup.jpg", "width": "86%", "height": "50%", "radius": 48,
        "motion": { "in": { "preset": "zoom-out" }, "kenBurns": { "to": 1.15 } } } ] }
  ],
  "overlays": [ { "type": "progress", "y": "98%", "height": 8, "width": "90%" } ]
}
\`\`\`

## Time

Seconds as a number, or text: "1.5s", "500ms", "12f", "50%" (of the containing time). An element's \`start\` counts from
the start of what contains it: its group, its scene, or for tracks and overlays the whole video. Without \`duration\` it
stays to the end of that. Scenes follow one another; a transition overlaps two of them, so the video is shorter by its
duration, and it is never longer than half of either scene.

## Place

\`x\` and \`y\` say where the element's \`anchor\` stands; all three default to the middle of the container. Lengths are
pixels, or "50%" of the container, or vw, vh, vmin, vmax of the frame. To stand at the left edge write
"x": "8%", "anchor": "left". Give texts a \`width\`, and a \`height\` or \`maxLines\` wherever the words may be longer than
you think: they then shrink to fit, and end in an ellipsis only when even the smallest size is too large.
Keep words 8 % away from the edges, and on vertical videos out of the lowest 12 %.

## Movement

Four ways, which add up: keyframes on a value ({ "keyframes": [{ "time": 0, "value": 0 }, { "time": 1, "value": 1,
"easing": "back-out" }] }), \`motion\` with a named entrance, exit and loop, \`split\` on texts, and \`kenBurns\` on
pictures. Let things enter one after another, 0.1 to 0.3 s apart; 0.5 to 0.8 s is a good entrance. An easing is a name,
{ "cubicBezier": [x1, y1, x2, y2] }, { "spring": { "stiffness", "damping", "mass" } } or { "steps": n }.

## Looks that work

One accent color, named in \`theme\` and used sparingly. Two sizes of type, far apart. Letters set tight when large
("letterSpacing": -0.03), wide when small capitals (0.12). A shade over pictures that carry words: a rectangle filled
from "#00000000" to "#000000c0". Rows as groups with "background": "#ffffff14", "radius": 36.

## Sound

Voice, music and effects of the whole video stand in \`audioTrack\`; a sound that belongs to a scene or group is an
\`audio\` element, and a \`video\` element is heard unless "muted" (a video background is silent). All are mixed into
one stereo track; the sounds of scenes cross-fade with the scenes' transition. Give the speaker "role": "voice" and the
track "duck": {}, and music and effects make room for the words. Volumes (0 to 4, may move) count against one another:
with an \`audioTrack\` the whole is then set to its loudness.

## Media

Name files once in \`assets\` and refer to them by "asset", or write "src" at the element. Addresses are fetched by the
service: public https addresses, files of the media library, data URLs of pictures. "sample:" and a few words stand for
a drawn placeholder. A file that cannot be read leaves its element out, and the render says so by JSON pointer.

## In a workflow

In a Video Editor node a string may hold \`{{tokens}}\`, each of which becomes a port that an edge must feed. "src":
"{{photo}}" takes the picture, video or sound of that element; "By {{author}}" a text; a token that stands alone
anywhere else, as in "to": "{{total}}", any value.
`;

/** Renders the guide to scene graphs: about 21 KB of Markdown. */
export function renderSceneGraphDoc(): string {
  const { $defs: defs } = SCHEMA;
  const commonKeys = Object.keys(COMMON_MEANING);
  const kinds = Object.keys(KINDS)
    .map(name => defs[name] ?? {})
    .map(
      kind =>
        `### ${String(kind.properties?.type?.const)}\n\n${kind.description}\n\n${renderPropertyList(kind, [...commonKeys, 'type'], defs)}`,
    );
  return [
    INTRODUCTION,
    `## Top-level properties\n\n${renderPropertyList(SCHEMA, [], defs)}`,
    `## Every element\n\n${Object.entries(COMMON_MEANING)
      .map(
        ([name, meaning]) => `- \`${name}\`${describeType(defs.Text?.properties?.[name], defs)}: ${meaning}`,
      )
      .join('\n')}`,
    '## Kinds of elements',
    ...kinds,
    '## Values',
    ...LISTED_DEFINITIONS.map(name => renderSection(name, defs)),
    `## Blocks\n\nA scene with "blockId" and "props" instead of elements.\n\n${BLOCKS.map(
      ({ id, description }) => `- \`${id}\`: ${description}`,
    ).join('\n')}`,
  ].join('\n\n');
}

/** Definitions that have a section in the guide. */
const LISTED_DEFINITIONS = [
  'Scene',
  'Background',
  'Linear',
  'Radial',
  'Conic',
  'ImageBackground',
  'VideoBackground',
  'Transition',
  'Motion',
  'Entrance',
  'Split',
  'Run',
  'TextStyle',
  'Filter',
  'Shadow',
  'Border',
  'Radius',
  'Clip',
  'Mask',
  'Easing',
  'Color',
  'Source',
  'Track',
  'CaptionTrack',
  'Word',
  'AudioTrack',
  'AudioItem',
  'Asset',
  'Font',
  'Theme',
  'Defaults',
] as const;

function renderSection(name: string, defs: Readonly<Record<string, Described>>): string {
  const definition = defs[name] ?? {};
  const list = definition.properties === undefined ? '' : `\n\n${renderPropertyList(definition, [], defs)}`;
  return `### ${name}\n\n${definition.description ?? ''}${list}`;
}

function renderPropertyList(
  { properties = {}, required = [] }: Described,
  without: readonly string[],
  defs: Readonly<Record<string, Described>>,
): string {
  return Object.entries(properties)
    .filter(([name]) => !without.includes(name))
    .map(([name, value]) => {
      const must = required.includes(name) ? ' (required)' : '';
      const meaning = value.description === undefined ? '' : `. ${value.description}`;
      return `- \`${name}\`${must}${describeType(value, defs)}${meaning}`;
    })
    .join('\n');
}

function describeType(value: Described | undefined, defs: Readonly<Record<string, Described>>): string {
  if (value === undefined) return '';
  const name = value.$ref?.split('/').at(-1);
  if (name !== undefined) return name in defs ? `: ${name}` : '';
  if (value.const !== undefined) return `: ${JSON.stringify(value.const)}`;
  if (value.enum !== undefined) return `: ${value.enum.join(', ')}`;
  const range =
    value.minimum === undefined || value.maximum === undefined
      ? ''
      : `, ${value.minimum} to ${value.maximum}`;
  return value.type === undefined ? '' : `: ${value.type}${range}`;
}
