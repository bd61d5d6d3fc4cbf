// Renders the dialog for choosing a model: for a new node, or to replace the model of a node, with what would be lost.

import External from 'icon:external-link';
import Star from 'icon:star';
import { useMemo, useState } from 'react';
import type { CatalogEntry } from '../../../../src/graph/catalog.ts';
import { findNode } from '../../../board/board.ts';
import type { Placement } from '../../../board/placement.ts';
import { type Replacement, replaceType } from '../../../board/replace-type.ts';
import { findFittingPort } from '../../../board/wiring.ts';
import { messages } from '../../../flow-messages.ts';
import { Button } from '../../../kit/button.tsx';
import { type Choice, Chooser } from '../../../kit/chooser.tsx';
import { FilterSelect } from '../../../kit/filter-bar.tsx';
import { formatDuration, formatNames } from '../../../lib/format.ts';
import { showToast } from '../../../lib/toasts.ts';
import { useEditor } from '../../../session/editor-context.tsx';
import { formatEntryPrice, insertEntry, MissingKey } from '../add-node/add-node.tsx';
import {
  readFavoriteTypes,
  readRecentTypes,
  saveRecentType,
  toggleFavorite,
} from '../add-node/palette-storage.ts';
import { pickerMessages } from './messages.ts';
import styles from './model-picker.module.css';
import { getSampleKey, ModelSample, useSamples } from './model-sample.tsx';
import {
  findModels,
  getModelGroup,
  getModelProvider,
  isOffered,
  MODEL_GROUPS,
  MODEL_SORTS,
  type ModelGroup,
  type ModelSort,
} from './models.ts';
import { useCurrentPrices } from './use-current-prices.ts';

const flowMessages = messages.flow;
const FAVORITES = 'favorites';

interface ChooseModelProps {
  readonly placement: Placement;
  /** What the user has typed in the palette. */
  readonly text?: string | undefined;
  readonly onClose: () => void;
}

/** Adds a node of the chosen model. */
export function ChooseModel({ placement, text, onClose }: ChooseModelProps) {
  const editor = useEditor();
  const { catalog, store } = editor.session;
  const { board } = store.getState();
  const { from } = placement;
  const models = catalog.entries.filter(
    entry =>
      isOffered(entry) && (from === undefined || findFittingPort(catalog, board, entry, from) !== undefined),
  );
  return (
    <ModelPicker
      title={pickerMessages.choose}
      text={text}
      models={models}
      onChoose={entry => {
        onClose();
        insertEntry(editor, entry, placement);
      }}
      onClose={onClose}
    />
  );
}

interface ReplaceModelProps {
  readonly nodeId: string;
  readonly onClose: () => void;
}

export function ReplaceModel({ nodeId, onClose }: ReplaceModelProps) {
  const { session, canvas } = useEditor();
  const { catalog, store } = session;
  const { board } = store.getState();
  const node = findNode(board, nodeId);
  const current = catalog.find(node?.data.nodeType ?? '');
  const offered = useMemo(
    () =>
      catalog.entries.filter(
        entry =>
          isOffered(entry) && entry !== current && entry.outputs[0]?.type === current?.outputs[0]?.type,
      ),
    [catalog, current],
  );
  const models = useCurrentPrices(session, node, offered);
  if (node === undefined || current === undefined) return null;
  const choose = (entry: CatalogEntry): void => {
    const replacement = replaceType(board, catalog, node, entry);
    onClose();
    saveRecentType(entry.nodeType);
    store.actions.perform(pickerMessages.edit(entry.label), replacement.changes);
    const losses = describeLosses(replacement);
    if (losses !== undefined) showToast(losses);
    canvas.current?.focusNode(nodeId);
  };
  return (
    <ModelPicker
      title={pickerMessages.replace(current.label)}
      models={models}
      current={current}
      onChoose={choose}
      onClose={onClose}
      renderEffect={entry =>
        describeLosses(replaceType(board, catalog, node, entry)) ?? pickerMessages.nothingLost
      }
    />
  );
}

function describeLosses({ lostConnections, lostSettings }: Replacement): string | undefined {
  const { connections, settings } = pickerMessages;
  const parts = [
    ...(lostConnections.length === 0
      ? []
      : [connections(lostConnections.length, formatNames([...new Set(lostConnections)]))]),
    ...(lostSettings.length === 0 ? [] : [settings(lostSettings.length, formatNames(lostSettings))]),
  ];
  return parts.length === 0 ? undefined : parts.join(' ');
}

interface ModelPickerProps {
  readonly title: string;
  /** The initial search. */
  readonly text?: string | undefined;
  readonly models: readonly CatalogEntry[];
  /** The model that is replaced. */
  readonly current?: CatalogEntry;
  readonly onChoose: (model: CatalogEntry) => void;
  readonly onClose: () => void;
  /** Says what choosing the model would change. */
  readonly renderEffect?: (model: CatalogEntry) => string;
}

function ModelPicker({
  title,
  text = '',
  models,
  current,
  onChoose,
  onClose,
  renderEffect,
}: ModelPickerProps) {
  const [sort, setSort] = useState<ModelSort>('best');
  const [provider, setProvider] = useState('');
  const [favorites, setFavorites] = useState(readFavoriteTypes);
  const byType = useMemo(() => new Map(models.map(model => [model.nodeType, model])), [models]);
  const samples = useSamples();
  const relatives = useMemo(() => Map.groupBy(models, getSampleKey), [models]);
  const toChoice = (model: CatalogEntry, section: string | undefined): Choice => {
    const isMissing = model.isAvailable === false;
    return {
      id: model.nodeType,
      label: model.label,
      detail: model.description,
      hint: <Facts model={model} />,
      icon: <ModelSample model={model} relatives={relatives} samples={samples} />,
      ...(isMissing ? { isDimmed: true as const } : {}),
      ...(section === undefined ? {} : { section }),
    };
  };
  const findChoices = (text: string, filter: string): readonly Choice[] => {
    const filtered = models.filter(model => isInFilter(model, filter, favorites));
    const found = findModels(filtered, { text, sort, provider, family: current?.family });
    if (text.trim() !== '' || sort !== 'best') return found.map(model => toChoice(model, undefined));
    const recentTypes = readRecentTypes();
    const isRecent = ({ nodeType }: CatalogEntry): boolean => recentTypes.includes(nodeType);
    const getSection = (model: CatalogEntry): string | undefined => {
      if (MODEL_GROUPS.includes(filter as ModelGroup))
        return model.runsLocally ? flowMessages.runsLocally : model.family;
      const isMissing = model.isAvailable === false;
      return isMissing ? flowMessages.modelsOfProviders : pickerMessages.groups[getModelGroup(model)];
    };
    const others = found.filter(model => !isRecent(model));
    return [
      ...found.filter(isRecent).map(model => toChoice(model, flowMessages.recent)),
      ...[...Map.groupBy(others, getSection)].flatMap(([section, group]) =>
        group.map(model => toChoice(model, section)),
      ),
    ];
  };
  return (
    <Chooser
      title={title}
      text={text}
      placeholder={pickerMessages.search}
      filters={listFilters(models)}
      filter={current && getModelGroup(current)}
      emptyHints={{ [FAVORITES]: pickerMessages.noFavorites }}
      isWide
      toolbar={
        <>
          <FilterSelect
            label={pickerMessages.sort}
            options={MODEL_SORTS.map(key => [key, pickerMessages.sorts[key]])}
            value={sort}
            onChange={({ target }) => setSort(target.value as ModelSort)}
          />
          <FilterSelect
            label={pickerMessages.provider}
            options={listProviders(models)}
            value={provider}
            onChange={({ target }) => setProvider(target.value)}
          />
        </>
      }
      findChoices={findChoices}
      onChoose={id => {
        const model = byType.get(id);
        if (model !== undefined) onChoose(model);
      }}
      onClose={onClose}
      renderFooter={({ id }) => {
        const model = byType.get(id);
        if (model === undefined) return null;
        const isFavorite = favorites.includes(id);
        return (
          <footer className={styles.footer}>
            {model.provider !== undefined && <MissingKey label={model.label} provider={model.provider} />}
            <p role="status">{renderEffect?.(model)}</p>
            {model.license !== undefined && <p>{flowMessages.modelLicense(model.license)}</p>}
            <PriceNote model={model} />
            <Button
              size="s"
              icon={Star}
              aria-pressed={isFavorite}
              onClick={() => {
                toggleFavorite(id);
                setFavorites(readFavoriteTypes());
              }}
            >
              {isFavorite ? flowMessages.removeFavorite : flowMessages.addFavorite}
            </Button>
          </footer>
        );
      }}
    />
  );
}

const isInFilter = (model: CatalogEntry, filter: string, favorites: readonly string[]): boolean =>
  filter === '' ||
  (filter === FAVORITES ? favorites.includes(model.nodeType) : getModelGroup(model) === filter);

function listFilters(models: readonly CatalogEntry[]): Readonly<Record<string, string>> {
  const groups = new Set(models.map(getModelGroup));
  return {
    '': pickerMessages.all,
    [FAVORITES]: pickerMessages.favorites,
    ...Object.fromEntries(
      MODEL_GROUPS.filter(group => groups.has(group)).map(group => [group, pickerMessages.groups[group]]),
    ),
  };
}

function listProviders(models: readonly CatalogEntry[]): Readonly<Record<string, string>> {
  const providers = [...new Set(models.map(getModelProvider))].sort();
  return {
    '': pickerMessages.allProviders,
    ...Object.fromEntries(
      providers.map(provider => [provider ?? 'service', formatProvider(provider)] as const),
    ),
  };
}

const formatProvider = (provider: string | undefined): string =>
  provider === undefined ? pickerMessages.service : messages.provider(provider);

/** Renders the price, the usual duration and the provider. */
function Facts({ model }: { readonly model: CatalogEntry }) {
  const { medianSeconds, isAvailable, policyReason, runsLocally } = model;
  return (
    <span className={styles.facts}>
      <strong>{formatEntryPrice(model) ?? flowMessages.free}</strong>
      {medianSeconds != null && <span>{flowMessages.about(formatDuration(medianSeconds * 1000))}</span>}
      <span>{runsLocally ? flowMessages.runsLocally : formatProvider(getModelProvider(model))}</span>
      {isAvailable === false && (
        <span title={policyReason}>
          {policyReason === undefined ? flowMessages.needsProvider : flowMessages.notAllowed}
        </span>
      )}
    </span>
  );
}

/** Renders where the price comes from, or a link to the page of the provider that states price and terms. */
function PriceNote({ model: { priceSource = '' } }: { readonly model: CatalogEntry }) {
  const url = /https:\/\/[^\s,;]+/.exec(priceSource)?.[0];
  if (url === undefined) return priceSource === '' ? null : <p>{priceSource}</p>;
  return (
    <a href={url} target="_blank" rel="noreferrer">
      {pickerMessages.terms} <External size={13} aria-hidden />
    </a>
  );
}
