// The texts of the list of models.
export const texts = {
  lead: 'Models that were added here, beside those that come with the service.',
  emptyTitle: 'No models were added',
  empty:
    'On the command line, graphwright models search finds one in the list of a provider, and graphwright models add adds it.',
  model: 'Model',
  type: 'Node type',
  provider: 'Provider',
  endpoint: 'Endpoint',
  state: 'State',
  hidden: 'Hidden',
  offered: 'Offered',
  problems: 'Left out',
} as const;
