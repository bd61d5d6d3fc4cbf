// Defines a content page with every field, and creates markdown of a given length.

/** A page with every section. Only a browser loads the page's URLs. */
export const FULL_PAGE = {
  title: 'Turn product photos into a film',
  type: 'FEATURE',
  subtitle:
    'Drop in a handful of photos. A workflow cuts them out, lights them, and sets them in motion, the same way every time.',
  isPublished: true,
  meta_description: 'A workflow that turns product photos into a short film, with every step in the open.',
  seoKeywords: ['product film', 'photo to video'],
  pillar: 'video',
  subcategory: 'Product film',
  c2aTitle: 'Make the first one today',
  c2aSubtitle: 'Start from the finished workflow and put your own photos in.',
  valueProps: [
    {
      title: 'The same look, every time',
      description: 'Light, lens and grade are nodes of the graph, not a prompt you hope to repeat.',
      icon: '🎞️',
    },
    {
      title: 'A price before the run',
      description: 'Each step says what it costs. Nothing is spent until you agree.',
      icon: '🧾',
    },
    {
      title: 'Picks up where it stopped',
      description: 'A run that was interrupted goes on from its last finished node.',
      icon: '🔁',
    },
  ],
  quickAnswer: {
    question: 'How long does it take?',
    answer: 'About four minutes for a film of twenty seconds, most of it waiting for the video model.',
    bullets: ['Six photos are enough', 'No timeline to edit', 'Vertical and wide in one run'],
    variant: 'highlight',
  },
  howToSteps: [
    {
      title: 'Drop in your photos',
      description: 'Any background will do. The first node cuts the product out.',
    },
    { title: 'Choose a setting', description: 'A sentence is enough: "on wet slate, morning light".' },
    {
      title: 'Run it',
      description: 'Watch each node as it finishes, or close the tab and be notified by webhook.',
    },
  ],
  contentBlocks: [
    {
      type: 'markdown',
      markdown:
        '## What happens inside\n\nEach photo is **cut out**, relit and placed. The [camera move](/features) is drawn as a path, so it can be changed *without* rendering the rest again.\n\n| Step | Node | Credits |\n| --- | --- | ---: |\n| Cut out | `image:cutout` | 2 |\n| Relight | `image:relight` | 6 |\n| Move | `video:renderer` | 14 |',
    },
    {
      type: 'quote',
      text: 'We shoot once and cut for every season. The graph is our studio manual.',
      author: 'Mara Lindqvist',
      role: 'Studio lead',
    },
    {
      type: 'code',
      code: 'curl -X POST "$api/workflows/$id/run" \\\n  -d \'{"inputs":{"setting":"on wet slate"}}\'',
      language: 'sh',
      caption: 'The same film from a script',
    },
    {
      type: 'cta',
      title: 'See it with your own photos',
      text: 'The template is free to copy.',
      link: '/workflows',
    },
  ],
  faqSchema: [
    {
      question: 'Which photos work best?',
      answer: 'Sharp ones, from the front and one side.\n\nBackgrounds do not matter.',
    },
    {
      question: 'Can I use my own music?',
      answer: 'Yes: wire an audio file into the last node.',
    },
    { question: 'Who owns the film?', answer: 'You do.' },
  ],
  crossLinks: [
    {
      url: '/models',
      anchorText: 'Which model moves best?',
      description: 'Five video models on the same six photos.',
    },
    {
      url: '/blog',
      anchorText: 'Lighting by graph',
      description: 'How relighting became a node.',
    },
  ],
} as const;

const SECTION = `## A heading that says what follows

A paragraph of ordinary length, with some **weight** in it, a [link](https://example.com/a) and a bit of \`code\`. It goes on for a while, since articles do, and says one thing after another until the thought is complete. Then it ends.

Another one follows, because a thought seldom comes alone: it leans on the first, turns it around, and looks at it from the *other* side, which takes a few lines more than anybody had planned.

- one thing to remember
- a second one, somewhat longer than the first
- and a third

> Somebody said this well, and so it stands here in their words.

`;
const EXTRAS = `| Model | Seconds | Credits |
| --- | ---: | ---: |
| Quick | 8 | 2 |
| Careful | 40 | 9 |

\`\`\`ts
const frames = await render(graph, { fps: 30 }); // 1 < 2
\`\`\`

A claim with a source[^1].

[^1]: Measured on an ordinary machine.

`;

/** Creates an article of this length that uses every markdown feature. */
export function makeMarkdown(length: number): string {
  return (EXTRAS + SECTION.repeat(Math.ceil(length / SECTION.length))).slice(0, length);
}
