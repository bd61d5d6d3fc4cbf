// Draws the icon of a node type from the types of its ports, as paths of a 72 × 40 SVG.
import type { CatalogEntry } from '../../src/graph/catalog.ts';
import type { PortType } from '../../src/graph/types.ts';

export interface IconPath {
  readonly d: string;
  readonly type: PortType;
  readonly isFilled: boolean;
}

export interface NodeIcon {
  /** Text alternative, such as `Text, Image → Video`. */
  readonly label: string;
  readonly paths: readonly IconPath[];
}

/** Symbols of the port types, in a 24 × 24 square. The second path is filled. */
const TYPE_ICONS: Readonly<Record<PortType, readonly [outline: string, fill?: string]>> = {
  TEXT: ['M4 6h16M4 12h16M4 18h9'],
  NUMBER: ['M5 7.5 8 5v14M14 8a3.5 3.5 0 1 1 6 2.6L13 19h7.5'],
  JSON: [
    'M9 4c-4 0-3 4-3 5.5S5 12 4 12c1 0 2 1 2 2.5S5 20 9 20M15 4c4 0 3 4 3 5.5s1 2.5 2 2.5c-1 0-2 1-2 2.5s1 5.5-3 5.5',
  ],
  IMAGE: ['M3 4h18v16H3zM3 17l6-6 5 5 3-3 4 4', 'M14.5 8.5a1.8 1.8 0 1 0 3.6 0a1.8 1.8 0 1 0-3.6 0'],
  VIDEO: ['M3 4h18v16H3z', 'M10 8.5l6 3.5-6 3.5z'],
  AUDIO: ['M3 10v4M7 6v12M11 9v6M15 4v16M19 8v8'],
  LIST: ['M7 7V3h14v14h-4M3 7h14v14H3z'],
  ANY: ['M12 3l9 9-9 9-9-9z'],
};

const WIDTH = 72;
const HEIGHT = 40;
const MAX_INPUTS = 3;
const INPUT_SIZE = 12;
const OUTPUT_SIZE = 32;

/** Draws small inputs on the left and a large output on the right. Centers the icon if one side is empty. */
export function drawNodeIcon({ inputs, outputs }: Pick<CatalogEntry, 'inputs' | 'outputs'>): NodeIcon {
  const inputTypes = unique(
    inputs.flatMap(({ isPort, type }) => (isPort && type !== 'BOOLEAN' ? [type] : [])),
  );
  const outputTypes = unique(outputs.flatMap(({ isPort, type }) => (isPort ? [type] : [])));
  const shownInputs = inputTypes.slice(0, MAX_INPUTS);
  const [mainOutput] = outputTypes;
  const gap = HEIGHT / (shownInputs.length + 1);
  const inputX = mainOutput === undefined ? (WIDTH - INPUT_SIZE) / 2 : 4;
  const outputX = shownInputs.length === 0 ? (WIDTH - OUTPUT_SIZE) / 2 : WIDTH - OUTPUT_SIZE - 4;
  return {
    label: [inputTypes, outputTypes]
      .map(types => types.map(toTypeLabel).join(', '))
      .filter(Boolean)
      .join(' → '),
    paths: [
      ...shownInputs.flatMap((type, index) =>
        drawType(type, { x: inputX, y: gap * (index + 1) - INPUT_SIZE / 2, size: INPUT_SIZE }),
      ),
      ...(mainOutput !== undefined && shownInputs.length > 0
        ? [{ d: `M21 ${HEIGHT / 2}h8m-3 -3l3 3l-3 3`, type: mainOutput, isFilled: false } as const]
        : []),
      ...(mainOutput === undefined
        ? []
        : drawType(mainOutput, { x: outputX, y: (HEIGHT - OUTPUT_SIZE) / 2, size: OUTPUT_SIZE })),
    ],
  };
}

const unique = (types: readonly PortType[]): readonly PortType[] => [...new Set(types)];
const toTypeLabel = (type: PortType): string =>
  type === 'JSON' ? type : type.charAt(0) + type.slice(1).toLowerCase();

interface Square {
  readonly x: number;
  readonly y: number;
  readonly size: number;
}

function drawType(type: PortType, square: Square): readonly IconPath[] {
  const [outline, fill] = TYPE_ICONS[type];
  return [
    { d: fitPath(outline, square), type, isFilled: false },
    ...(fill === undefined ? [] : [{ d: fitPath(fill, square), type, isFilled: true }]),
  ];
}

/**
 * Transforms a path from the 24 × 24 square to another square. Absolute (upper-case) commands are moved and scaled,
 * relative commands are only scaled.
 */
export function fitPath(path: string, { x, y, size }: Square): string {
  const scale = size / 24;
  return path.replace(/([A-Za-z])([^A-Za-z]*)/g, (_, command: string, args: string) => {
    const numbers = [...args.matchAll(/-?\d*\.?\d+/g)].map(([digits]) => Number(digits));
    return command + numbers.map((number, index) => transform(command, number, index)).join(' ');
  });

  function transform(command: string, number: number, index: number): number {
    const isArc = command.toLowerCase() === 'a';
    // The rotation and the two flags of an arc are not lengths.
    if (isArc && index % 7 >= 2 && index % 7 <= 4) return number;
    const isMoved = command === command.toUpperCase() && !(isArc && index % 7 < 2);
    const isVertical = command === 'V' || (command !== 'H' && (isArc ? index % 7 === 6 : index % 2 === 1));
    const offset = isMoved ? (isVertical ? y : x) : 0;
    return Math.round((number * scale + offset) * 100) / 100;
  }
}
