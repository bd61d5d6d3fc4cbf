// Describes what the SCIM service can do: its configuration, resource types and schemas (RFC 7643 §5 to §7).
import { requireFound } from '../../lib/errors.ts';
import type { Deps } from '../deps.ts';
import { GROUP_SCHEMA } from './groups.ts';
import { MAX_COUNT, presentList } from './query.ts';
import { USER_SCHEMA } from './users.ts';

type DiscoveryDeps = Pick<Deps, 'settings'>;

const PREFIX = 'urn:ietf:params:scim:schemas:core:2.0:';

export const readServiceConfig = ({ settings }: DiscoveryDeps) => ({
  schemas: [`${PREFIX}ServiceProviderConfig`],
  documentationUri: 'https://www.rfc-editor.org/rfc/rfc7644',
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: MAX_COUNT },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: false },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'SCIM token',
      description: 'The token that an administrator creates',
      primary: true,
    },
  ],
  meta: {
    resourceType: 'ServiceProviderConfig',
    location: `${settings.BASE_URL}/scim/v2/ServiceProviderConfig`,
  },
});

const RESOURCE_TYPES = [
  { name: 'User', endpoint: '/Users', description: 'An account', schema: USER_SCHEMA },
  { name: 'Group', endpoint: '/Groups', description: 'A group of accounts', schema: GROUP_SCHEMA },
] as const;

const listTypes = ({ settings }: DiscoveryDeps) =>
  RESOURCE_TYPES.map(type => ({
    schemas: [`${PREFIX}ResourceType`],
    id: type.name,
    ...type,
    meta: {
      resourceType: 'ResourceType',
      location: `${settings.BASE_URL}/scim/v2/ResourceTypes/${type.name}`,
    },
  }));

export const listResourceTypes = (deps: DiscoveryDeps) => listAll(listTypes(deps));

/** Throws 404. */
export const readResourceType = (deps: DiscoveryDeps, id: string) =>
  requireFound(
    listTypes(deps).find(type => type.id === id),
    'Resource type not found.',
  );

interface Attribute {
  readonly name: string;
  readonly type: 'string' | 'boolean' | 'complex' | 'reference';
  readonly multiValued: boolean;
  readonly required: boolean;
  readonly caseExact: boolean;
  readonly mutability: 'readWrite' | 'immutable' | 'readOnly';
  readonly returned: 'default';
  readonly uniqueness: 'none' | 'server';
  readonly subAttributes?: readonly Attribute[];
}

const attribute = (name: string, options: Partial<Attribute> = {}): Attribute => ({
  name,
  type: 'string',
  multiValued: false,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  ...options,
});

const SCHEMAS = [
  {
    id: USER_SCHEMA,
    name: 'User',
    description: 'An account',
    attributes: [
      attribute('userName', { required: true, uniqueness: 'server' }),
      attribute('displayName'),
      attribute('name', {
        type: 'complex',
        subAttributes: [attribute('formatted'), attribute('givenName'), attribute('familyName')],
      }),
      attribute('emails', {
        type: 'complex',
        multiValued: true,
        subAttributes: [attribute('value'), attribute('type'), attribute('primary', { type: 'boolean' })],
      }),
      attribute('active', { type: 'boolean' }),
    ],
  },
  {
    id: GROUP_SCHEMA,
    name: 'Group',
    description: 'A group of accounts',
    attributes: [
      attribute('displayName', { required: true, uniqueness: 'server' }),
      attribute('members', {
        type: 'complex',
        multiValued: true,
        subAttributes: [
          attribute('value', { caseExact: true, mutability: 'immutable' }),
          attribute('$ref', { type: 'reference', caseExact: true, mutability: 'immutable' }),
          attribute('type', { mutability: 'immutable' }),
          attribute('display', { mutability: 'readOnly' }),
        ],
      }),
    ],
  },
];

const presentSchemas = ({ settings }: DiscoveryDeps) =>
  SCHEMAS.map(schema => ({
    schemas: [`${PREFIX}Schema`],
    ...schema,
    meta: { resourceType: 'Schema', location: `${settings.BASE_URL}/scim/v2/Schemas/${schema.id}` },
  }));

export const listSchemas = (deps: DiscoveryDeps) => listAll(presentSchemas(deps));

/** Throws 404. */
export const readSchema = (deps: DiscoveryDeps, id: string) =>
  requireFound(
    presentSchemas(deps).find(schema => schema.id === id),
    'Schema not found.',
  );

const listAll = (resources: readonly object[]) => presentList(resources, resources.length, { startIndex: 1 });
