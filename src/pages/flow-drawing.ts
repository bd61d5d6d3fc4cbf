// A workflow's picture in a page: complete for its own page, reduced to names and ports for a preview.
import type { Catalog } from '../graph/catalog.ts';
import { drawGraph } from '../graph/draw/draw.ts';
import { styleSheet } from '../graph/draw/theme.ts';
import { sha256 } from '../lib/crypto.ts';
import { type Html, html, trusted } from './html.ts';
import type { FlowView, Site } from './site.ts';

/** What a preview may add to a page; a heavier one is loaded as an image. */
const MAX_INLINE_BYTES = 12_000;
/** As many as the layout takes; what is larger is no picture any more. */
const MAX_DRAWN_NODES = 250;

/** For the page's content policy: the hash of the style sheet that stands in the drawing. */
export const DRAWING_STYLE_HASH = `sha256-${sha256(styleSheet('auto')).toString('base64')}`;

/** Undefined where there is nothing to draw, or too much. */
export function drawFlow(flow: FlowView, { catalog }: Site): string | undefined {
  const { graph, pictures } = flow;
  return isDrawable(flow) ? drawGraph(graph, catalog, { title: titleOf(flow), pictures }) : undefined;
}

/** The same with names and ports alone, at half the weight. */
export function drawPreview(flow: FlowView, { catalog }: Site): string | undefined {
  const { graph, pictures } = flow;
  return isDrawable(flow)
    ? drawGraph(graph, portsAlone(catalog), { title: titleOf(flow), pictures })
    : undefined;
}

/** The preview in its frame, which scrolls where the screen is narrow. */
export function renderPreview(flow: FlowView, site: Site): Html | undefined {
  const drawing = drawPreview(flow, site);
  if (drawing === undefined) return undefined;
  const picture =
    Buffer.byteLength(drawing) <= MAX_INLINE_BYTES
      ? trusted(drawing)
      : html`<img src="${flowPath(flow)}/preview.svg" alt="${titleOf(flow)}" loading="lazy">`;
  return html`<div class="flow" role="region" aria-label="Drawing of the workflow" tabindex="0">${picture}</div>`;
}

export function flowPath({ id }: Pick<FlowView, 'id'>): string {
  return `/flow/${encodeURIComponent(id)}`;
}

function titleOf({ name }: FlowView): string {
  return `Workflow: ${name}`;
}

function isDrawable({ graph: { nodes } }: FlowView): boolean {
  return nodes.length > 0 && nodes.length <= MAX_DRAWN_NODES;
}

function portsAlone(catalog: Catalog): Catalog {
  return {
    ...catalog,
    ports: (nodeType, config) => {
      const { inputs, outputs } = catalog.ports(nodeType, config);
      return { inputs: inputs.filter(({ isPort }) => isPort), outputs };
    },
  };
}
