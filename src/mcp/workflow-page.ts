// Builds links to workflow pages.
import type { Deps } from '../services/deps.ts';

/** The URL of the workflow's page. */
export const workflowPageUrl = ({ settings }: Pick<Deps, 'settings'>, workflowId: string): string =>
  `${settings.BASE_URL}/flow/${workflowId}`;
