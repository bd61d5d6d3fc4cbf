// Lets nodes call named servers that speak OpenAI's protocol: the field by which they choose one, and what the choice
// changes about their other fields.
import type { ResolvedPorts } from '../../graph/catalog.ts';
import { allowAnySize, relaxForServer } from '../../graph/config-ports.ts';
import { type CredentialKey, type ServerRoute, toServerKey } from '../../providers/names.ts';
import { type NodeDefinition, NodeError, text } from '../define.ts';

/** The config field that names a server. */
export const SERVER_FIELD = {
  server: text('Server', {
    description: 'The name of a server that speaks the protocol of OpenAI. Default: OpenAI.',
  }),
};

type Config = Readonly<Record<string, unknown>>;

/** Returns the name of the server that a node with this config chooses, or undefined for the default. */
export const findServer = ({ server }: Config): string | undefined =>
  typeof server === 'string' && server !== '' ? server : undefined;

/** Returns the key of the credential that a node with this config uses. */
export function toOpenAiKey(config: Config): CredentialKey {
  const server = findServer(config);
  return server === undefined ? 'openai' : toServerKey(server);
}

/**
 * Returns the definition of a node that can call named servers. With a server, its calls need no `maxCredits`, because
 * they may be free, and its images may have any size.
 */
export function withServers(definition: NodeDefinition, serverRoute: ServerRoute): NodeDefinition {
  return {
    ...definition,
    serverRoute,
    ports: (config): ResolvedPorts => {
      const ports = definition.ports(config);
      return { ...ports, inputs: relaxForServer(ports.inputs, config) };
    },
  };
}

/** Returns the definition of an image node whose default server is not OpenAI's and may draw any size. */
export function withAnySize(definition: NodeDefinition): NodeDefinition {
  if (definition.serverRoute !== 'images') return definition;
  const { entry } = definition;
  return {
    ...definition,
    entry: { ...entry, inputs: entry.inputs.map(allowAnySize) },
    ports: (config): ResolvedPorts => {
      const ports = definition.ports(config);
      return { ...ports, inputs: ports.inputs.map(allowAnySize) };
    },
  };
}

const MIN_SIZE = 256;
const MAX_SIZE = 4096;
const SIZE_STEP = 8;

/** Returns the size to send to a named server; undefined for its default. Throws NodeError if no server has such a size. */
export function toServerSize(size: string): string | undefined {
  if (size === 'auto') return undefined;
  const sides = /^(\d{3,4})x(\d{3,4})$/.exec(size)?.slice(1).map(Number);
  const isValid = sides?.every(side => side >= MIN_SIZE && side <= MAX_SIZE && side % SIZE_STEP === 0);
  if (isValid === true) return size;
  throw new NodeError(
    'invalid_config',
    `The size ${size.slice(0, 20)} is not valid. It must be a width and a height from ${MIN_SIZE} to ${MAX_SIZE} in steps of ${SIZE_STEP}, such as 768x512.`,
  );
}
