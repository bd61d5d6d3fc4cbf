// The texts of the list of providers.
export const texts = {
  lead: 'Where models run. A provider is configured by the settings of the service, which are read at its start.',
  provider: 'Provider',
  state: 'State',
  answers: 'Answers',
  silent: 'Does not answer',
  off: 'Not configured',
  address: 'Address',
  latency: 'Time',
  setting: 'Setting',
  problem: 'Problem',
  ask: 'Ask again',
  asked: 'Asked',
} as const;
