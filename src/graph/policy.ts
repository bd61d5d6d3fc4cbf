// Decides which providers and models the nodes of a team's workflows may use.

export interface Policy {
  /** The names of the allowed providers; null for all. */
  readonly providers: readonly string[] | null;
  /** Node types of models. `allow` is null for all. */
  readonly models: { readonly allow: readonly string[] | null; readonly deny: readonly string[] };
}

export interface ProviderNode {
  readonly nodeType: string;
  readonly label: string;
  /** The provider that the node calls, or its server, as `openai/name`. */
  readonly provider: string;
}

/** Returns why the policy does not allow the node, or undefined if it does. */
export function explainDisallowed(
  { providers, models }: Policy,
  { nodeType, label, provider }: ProviderNode,
): string | undefined {
  const [name = provider] = provider.split('/');
  if (providers !== null && !providers.includes(name))
    return `The policy of the team does not allow the provider ${name}, which “${label}” uses. ${ADVICE}`;
  if (models.deny.includes(nodeType) || (models.allow !== null && !models.allow.includes(nodeType)))
    return `The policy of the team does not allow the model ${nodeType} of “${label}”. ${ADVICE}`;
  return undefined;
}

const ADVICE = 'Use another model, or ask an OWNER of the team to change the policy.';
