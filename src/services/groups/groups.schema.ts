// Defines the schemas of the table that maps groups of the identity provider to roles in teams.
import { type Static, Type } from 'typebox';
import { TEAM_ROLES } from '../../store/teams.ts';
import { Id, Named, NamedExact } from '../schema.ts';

const MAX_MAPPINGS = 500;

const MAPPING = {
  group: Type.String({
    minLength: 1,
    maxLength: 256,
    description: 'The group, as the claim `groups` or the name or external ID of a SCIM group writes it',
  }),
  teamId: Id('Team ID, `team_…`'),
  role: Type.Enum(TEAM_ROLES, { description: 'The role of its members in the team' }),
};

export const GroupMappings = Type.Array(
  Named('GroupMapping', 'The role that a group gives in a team', { ...MAPPING, teamName: Type.String() }),
);

export const GroupMappingsBody = Type.Array(
  NamedExact('GroupMappingInput', 'The role that a group gives in a team', MAPPING),
  { maxItems: MAX_MAPPINGS },
);
export type GroupMappingsBody = Static<typeof GroupMappingsBody>;
