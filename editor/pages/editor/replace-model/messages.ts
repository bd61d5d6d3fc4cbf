// Defines the texts of the dialog that replaces the model of a node, which the editor loads only with the dialog.
import type { ModelTask } from '../../../../src/graph/catalog.ts';

const TASKS: Readonly<Record<ModelTask, string>> = {
  make: 'Makes from a description',
  edit: 'Edits',
  upscale: 'Upscales',
  cutout: 'Removes the background',
  animate: 'Animates images',
  talk: 'Makes people talk',
  speak: 'Reads aloud',
  compose: 'Composes music and sounds',
  transcribe: 'Transcribes',
  describe: 'Describes images',
  write: 'Writes',
};

export const replaceMessages = {
  title: (label: string): string => `Replace ${label}`,
  /** The name of the undo step. */
  edit: (label: string): string => `Replace model by ${label}`,
  search: 'Search models',
  nothingLost: 'Keeps all connections and settings.',
  connections: (count: number, ports: string): string =>
    `Removes ${count === 1 ? 'the connection' : 'connections'} of ${ports}.`,
  settings: (labels: string): string => `Resets ${labels}.`,
  model: (family: string, task: ModelTask): string => `${family} · ${TASKS[task]}`,
  sections: {
    family: (family: string): string => `Other ${family} models`,
    task: 'For the same task',
    otherTasks: 'For other tasks',
  },
};
