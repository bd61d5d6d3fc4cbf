// Draws one node of a graph: a card with title, ports and settings, a sticky note, or a group frame.

import { isBypassed } from '../bypass.ts';
import {
  describeSetting,
  formatChoice,
  getChangedSettings,
  getMainFields,
  getSettings,
} from '../card-fields.ts';
import type { CatalogEntry, InputDef, OutputDef, ResolvedPorts } from '../catalog.ts';
import { getFieldHeight, getPortOffset, NODE_BOX } from '../dims.ts';
import type { Rect } from '../rects.ts';
import { isSecretName } from '../redact.ts';
import type { GraphNode } from '../types.ts';
import { breakText, escapeXml, truncateLine } from './text.ts';
import { CATEGORY_COLORS, PORT_COLORS } from './theme.ts';

/** A node with the data needed to draw it. */
export interface DrawnNode {
  readonly node: GraphNode;
  readonly rect: Rect;
  readonly entry: CatalogEntry | undefined;
  readonly ports: ResolvedPorts;
  /** The URL of the image that shows the node's result. */
  readonly preview?: string | undefined;
}

const INSET = 14;
const NOTE_COLOR = '#fde68a';
const PREVIEW_TYPES = new Set(['IMAGE', 'VIDEO']);

export function drawNode({ node, rect, entry, ports, preview }: DrawnNode): string {
  const { x, y, width, height } = rect;
  const accent = CATEGORY_COLORS[entry?.category ?? node.data.category] ?? PORT_COLORS.ANY;
  const inputs = ports.inputs.filter(({ isPort }) => isPort);
  const outputs = ports.outputs.filter(({ isPort }) => isPort);
  const portsEnd = NODE_BOX.header + NODE_BOX.portRow * Math.max(inputs.length, outputs.length, 1);
  const fields = drawFields(node, ports.inputs, rect, portsEnd);
  const remainingHeight = height - fields.end - NODE_BOX.padding;
  const hasPreview = outputs.some(({ type }) => PREVIEW_TYPES.has(type)) || entry?.category === 'output';
  const parts = [
    `<rect class="gw-shadow" x="${x - 1}" y="${y + 3}" width="${width + 2}" height="${height}" rx="13"/>`,
    `<rect class="gw-card" x="${x}" y="${y}" width="${width}" height="${height}" rx="12"/>`,
    `<rect x="${x + INSET}" y="${y + 13}" width="4" height="20" rx="2" fill="${accent}"/>`,
    drawText(
      'gw-ink',
      x + INSET + 14,
      y + 21,
      13,
      truncateLine(node.data.label, width - 56, 13),
      'font-weight="600"',
    ),
    drawText(
      'gw-muted',
      x + INSET + 14,
      y + 35,
      10,
      truncateLine(entry?.label ?? node.data.nodeType, width - 56, 10),
    ),
    `<path class="gw-rule" d="M${x} ${y + NODE_BOX.header}h${width}"/>`,
    ...inputs.map((port, index) => drawPort(port, rect, index, 'left')),
    ...outputs.map((port, index) => drawPort(port, rect, index, 'right')),
    ...fields.parts,
    hasPreview && remainingHeight >= 48
      ? drawPreview({ x, y: y + fields.end, width, height: remainingHeight }, accent, preview)
      : '',
  ].join('');
  return isBypassed(node) ? `<g opacity=".5">${parts}</g>` : parts;
}

function drawPort(port: InputDef | OutputDef, rect: Rect, index: number, side: 'left' | 'right'): string {
  const offset = getPortOffset(index);
  if (offset > rect.height - 6) return '';
  const isLeft = side === 'left';
  const x = isLeft ? rect.x : rect.x + rect.width;
  const label = truncateLine(port.label, rect.width / 2 - 24, 11);
  const anchor = isLeft ? '' : 'text-anchor="end"';
  return [
    `<circle class="gw-hole" cx="${x}" cy="${rect.y + offset}" r="6" fill="${getPortColor(port.type)}"/>`,
    drawText('gw-muted', x + (isLeft ? INSET : -INSET), rect.y + offset + 4, 11, label, anchor),
  ].join('');
}

export function getPortColor(type: string): string {
  return PORT_COLORS[type] ?? PORT_COLORS.ANY ?? '';
}

/** Draws as many settings as fit into the card, as form fields. */
function drawFields(
  node: GraphNode,
  inputs: readonly InputDef[],
  { x, y, width, height }: Rect,
  start: number,
): { readonly parts: readonly string[]; readonly end: number } {
  const parts: string[] = [];
  let end = start;
  const fields = getMainFields(inputs);
  for (const input of fields) {
    const value = formatValue(node, input);
    const rowHeight = getFieldHeight(input);
    if (end + rowHeight > height - 4) break;
    const box = rowHeight - (input.isPort ? 9 : 26);
    const top = rowHeight - box - 8;
    const lines = breakText(value, width - 2 * INSET - 16, 11, Math.max(1, Math.floor((box - 8) / 15)));
    parts.push(
      input.isPort
        ? ''
        : drawText('gw-muted', x + INSET, y + end + 12, 10, truncateLine(input.label, width - 2 * INSET, 10)),
      `<rect class="gw-field" x="${x + INSET}" y="${y + end + top}" width="${width - 2 * INSET}" height="${box}" rx="6"/>`,
      ...lines.map((line, index) =>
        drawText('gw-ink', x + INSET + 8, y + end + top + 17 + 15 * index, 11, line),
      ),
    );
    end += rowHeight;
  }
  const changedSettings = getChangedSettings(node.data, inputs, fields);
  if (changedSettings.length > 0 && end + NODE_BOX.chips <= height - 4) {
    const config = getSettings(node.data);
    const line = changedSettings.map(input => describeSetting(input, config[input.id])).join(' · ');
    parts.push(drawText('gw-muted', x + INSET, y + end + 16, 10, truncateLine(line, width - 2 * INSET, 10)));
    end += NODE_BOX.chips;
  }
  return { parts, end };
}

function formatValue({ data }: GraphNode, { id, default: fallback, enum: choices }: InputDef): string {
  const config = getSettings(data);
  const value = Object.hasOwn(config, id) ? config[id] : fallback;
  if (value === undefined || value === null) return '';
  if (isSecretName(id)) return '••••••••';
  const text = typeof value === 'string' ? value : JSON.stringify(value).slice(0, 2000);
  return choices === undefined ? text : formatChoice(text, choices);
}

/** Draws the preview image, or a placeholder until the node has run. */
function drawPreview({ x, y, width, height }: Rect, color: string | undefined, preview?: string): string {
  const [left, top, w, h] = [x + INSET, y + 2, width - 2 * INSET, height - 4];
  if (preview !== undefined)
    return `<image href="${escapeXml(preview)}" x="${left}" y="${top}" width="${w}" height="${h}"/>`;
  const toPoint = (fx: number, fy: number): string => `${round(left + w * fx)} ${round(top + h * fy)}`;
  return [
    `<rect class="gw-field" x="${left}" y="${top}" width="${w}" height="${h}" rx="8"/>`,
    `<path d="M${toPoint(0.18, 0.82)}L${toPoint(0.4, 0.42)}L${toPoint(0.54, 0.66)}L${toPoint(0.64, 0.52)}L${toPoint(0.82, 0.82)}Z" fill="${color}" fill-opacity=".22" stroke="${color}" stroke-opacity=".3" stroke-width="6" stroke-linejoin="round"/>`,
    `<circle cx="${round(left + w * 0.68)}" cy="${round(top + h * 0.27)}" r="${round(Math.min(w, h) * 0.09)}" fill="${color}" fill-opacity=".28"/>`,
  ].join('');
}

export function drawGroup({ node, rect }: DrawnNode): string {
  const { x, y, width, height } = rect;
  return [
    `<rect class="gw-frame" x="${x}" y="${y}" width="${width}" height="${height}" rx="18"/>`,
    drawText(
      'gw-frame-title',
      x + 24,
      y + 36,
      16,
      truncateLine(node.data.label, width - 48, 16),
      'font-weight="600"',
    ),
  ].join('');
}

export function drawNote({ node, rect }: DrawnNode): string {
  const { x, y, width, height } = rect;
  const { text: noteText = '', color } = node.data.config ?? {};
  const fill = typeof color === 'string' && /^#[0-9a-f]{6}$/i.test(color) ? color : NOTE_COLOR;
  const content = typeof noteText === 'string' && noteText !== '' ? noteText : node.data.label;
  const lines = breakText(content, width - 32, 13, Math.max(1, Math.floor((height - 28) / 19)));
  return [
    `<rect class="gw-shadow" x="${x}" y="${y + 4}" width="${width}" height="${height}" rx="6"/>`,
    `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="5" fill="${fill}"/>`,
    ...lines.map((line, index) => drawText('gw-note', x + 16, y + 30 + 19 * index, 13, line)),
  ].join('');
}

function drawText(
  className: string,
  x: number,
  y: number,
  size: number,
  content: string,
  attributes = '',
): string {
  if (content === '') return '';
  return `<text class="${className}" x="${x}" y="${y}" font-size="${size}" ${attributes}>${escapeXml(content)}</text>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
