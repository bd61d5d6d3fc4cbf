// Draws a workflow as SVG: complete for its own page, or reduced to names and ports as a preview.
import type { Catalog } from '../graph/catalog.ts';
import { drawGraph } from '../graph/draw/draw.ts';
import { createStyleSheet } from '../graph/draw/theme.ts';
import { sha256 } from '../lib/crypto.ts';
import { type Html, html, trustMarkup } from './html.ts';
import type { DrawnWorkflow, Site } from './site.ts';

/** Larger previews are loaded as an image. */
const MAX_INLINE_BYTES = 12_000;
/** The limit of the layout. Larger graphs would not be readable. */
const MAX_DRAWN_NODES = 250;

/** Hash of the style sheet in the drawing, for the Content-Security-Policy. */
export const DRAWING_STYLE_HASH = `sha256-${sha256(createStyleSheet('auto')).toString('base64')}`;

/** Draws the workflow. Returns undefined for graphs that are empty or too large. */
export function drawWorkflow(
  { name, graph, images }: Pick<DrawnWorkflow, 'name' | 'graph' | 'images'>,
  catalog: Catalog,
): string | undefined {
  const { length } = graph.nodes;
  return length === 0 || length > MAX_DRAWN_NODES
    ? undefined
    : drawGraph(graph, catalog, { title: toTitle(name), previews: images });
}

/** Draws only names and ports, at half the size. */
export const drawPreview = (workflow: DrawnWorkflow, { catalog }: Site): string | undefined =>
  drawWorkflow(workflow, keepPortsOnly(catalog));

/** Renders the preview in a frame that scrolls on narrow screens. */
export function renderPreview(workflow: DrawnWorkflow, site: Site): Html | undefined {
  const drawing = drawPreview(workflow, site);
  if (drawing === undefined) return undefined;
  const image =
    Buffer.byteLength(drawing) <= MAX_INLINE_BYTES
      ? trustMarkup(drawing)
      : html`<img src="${getEditorPath(workflow)}/preview.svg" alt="${toTitle(workflow.name)}" loading="lazy">`;
  return html`<div class="flow" role="region" aria-label="Workflow diagram" tabindex="0">${image}</div>`;
}

/** Returns the path of the published page if there is one, otherwise of the workflow's own page. */
export function getWorkflowPath(workflow: Pick<DrawnWorkflow, 'id' | 'slug'>): string {
  return workflow.slug === null ? getEditorPath(workflow) : getPublishedPath(workflow.slug);
}

/** Slugs need no encoding. */
export function getPublishedPath(slug: string): string {
  return `/p/${slug}`;
}

function getEditorPath({ id }: Pick<DrawnWorkflow, 'id'>): string {
  return `/flow/${encodeURIComponent(id)}`;
}

function toTitle(name: string): string {
  return `Workflow: ${name}`;
}

function keepPortsOnly(catalog: Catalog): Catalog {
  return {
    ...catalog,
    ports: (nodeType, config) => {
      const { inputs, outputs } = catalog.ports(nodeType, config);
      return { inputs: inputs.filter(({ isPort }) => isPort), outputs };
    },
  };
}
