// Lists the roles of members with their labels.
import type { TeamRole } from '../../../lib/session.ts';
import { texts } from '../messages.ts';

export const ROLES = Object.entries(texts.roles) as readonly (readonly [TeamRole, string])[];
