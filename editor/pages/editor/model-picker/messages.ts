// Defines the texts of the model picker, which the editor loads only with the picker.
import type { ModelGroup, ModelSort } from './models.ts';

const GROUPS: Readonly<Record<ModelGroup, string>> = {
  'make-image': 'Make images',
  'make-video': 'Make videos',
  edit: 'Edit',
  upscale: 'Upscale',
  cutout: 'Cut out',
  animate: 'Animate',
  talk: 'Talk',
  speak: 'Speak',
  compose: 'Compose',
  transcribe: 'Transcribe',
  describe: 'Describe',
  write: 'Write',
};
const SORTS: Readonly<Record<ModelSort, string>> = {
  best: 'Recommended',
  price: 'Price',
  speed: 'Speed',
};

export const pickerMessages = {
  choose: 'Choose a model',
  replace: (label: string): string => `Replace ${label}`,
  /** The name of the undo step. */
  edit: (label: string): string => `Replace model by ${label}`,
  search: 'Search models',
  all: 'All models',
  favorites: 'Favorites',
  noFavorites: 'No favorites yet. Select a model and choose "Add to favorites".',
  groups: GROUPS,
  sort: 'Sort by',
  sorts: SORTS,
  provider: 'Provider',
  allProviders: 'All',
  service: 'This service',
  terms: 'Price and terms',
  nothingLost: 'Keeps all connections and settings.',
  connections: (count: number, ports: string): string =>
    `Removes ${count === 1 ? 'the connection' : 'connections'} of ${ports}.`,
  settings: (count: number, labels: string): string =>
    `Drops ${count === 1 ? 'the setting' : 'the settings'} ${labels}, which the new model does not have.`,
};
