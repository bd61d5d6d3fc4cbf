// Defines the texts of the dialog with variations of a node, which the editor loads only with the dialog.
export const messages = {
  title: (label: string): string => `Four variations of ${label}`,
  run: (price: string): string => `Run four times (${price})`,
  estimating: 'Computing the price…',
  batch: 'Open as a batch',
  again: 'Four more',
  chooseOther: 'Choose Compare on another variation.',
  showAll: 'Show all four',
  status: {
    waiting: 'Waiting',
    running: 'Running',
    completed: 'Completed',
    failed: 'Failed',
    cancelled: 'Canceled',
    skipped: 'Skipped',
  },
};
