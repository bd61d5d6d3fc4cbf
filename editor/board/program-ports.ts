// Describes the ports of a code node as TypeScript.
import type { ConfigPort } from '../../src/graph/config-ports.ts';
import type { PortType } from '../../src/graph/types.ts';

export interface ProgramPorts {
  readonly inputs: readonly ConfigPort[];
  readonly outputs: readonly ConfigPort[];
}

const MEDIA = '{ url, contentType, width, height, duration }';

/** The types of the values that a program receives and returns. */
export const PROGRAM_TYPES: Readonly<Record<PortType, string>> = {
  TEXT: 'string',
  NUMBER: 'number',
  JSON: 'any',
  IMAGE: MEDIA,
  VIDEO: MEDIA,
  AUDIO: MEDIA,
  LIST: 'any[]',
  ANY: 'any',
};

/** Returns the type of the function that the program exports. */
export const formatProgramType = ({ inputs, outputs }: ProgramPorts): string =>
  `(${formatPorts(inputs)}) => ${formatPorts(outputs)}`;

function formatPorts(ports: readonly ConfigPort[]): string {
  const members = ports.map(({ id, type }) => `${id}: ${PROGRAM_TYPES[type]}`);
  return members.length === 0 ? '{}' : `{ ${members.join('; ')} }`;
}
