// Defines the messages of the list of providers.
export const messages = {
  description:
    'Services that run models. Configure providers in the settings of the service, then restart it.',
  provider: 'Provider',
  state: 'Status',
  reachable: 'Reachable',
  unreachable: 'Unreachable',
  off: 'Not configured',
  address: 'Address',
  latency: 'Latency',
  setting: 'Setting',
  problem: 'Problem',
  check: 'Check again',
  checked: 'Last checked',
} as const;
