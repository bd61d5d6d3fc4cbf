// Renders a dialog in which owners choose which providers and models the runs of a team may use.
import Close from 'icon:x';
import { useQuery } from '@tanstack/react-query';
import type { Team, TeamPolicy } from '../../../../sdk/src/schemas.ts';
import { IconButton } from '../../../kit/button.tsx';
import { CheckField, SelectField } from '../../../kit/field.tsx';
import { FormDialog } from '../../../kit/form-dialog.tsx';
import { useForm } from '../../../kit/use-form.ts';
import { api } from '../../../lib/api.ts';
import { apiQuery } from '../../../lib/queries.ts';
import { useReloadAndToast } from '../../../lib/reload-and-toast.ts';
import { messages as sharedMessages } from '../../../messages.ts';
import { Choices } from '../section.tsx';
import { messages } from './messages.ts';
import styles from './teams.module.css';

type Provider = NonNullable<TeamPolicy['providers']>[number];
const PROVIDERS: readonly Provider[] = ['fal', 'replicate', 'openai', 'elevenlabs', 'comfyui'];

interface PolicyDialogProps {
  readonly team: Team;
  readonly policy: TeamPolicy;
  readonly onClose: () => void;
}

export function PolicyDialog({ team, policy, onClose }: PolicyDialogProps) {
  const { values, update } = useForm({
    providers: policy.providers ?? PROVIDERS,
    allow: policy.models.allow,
    deny: policy.models.deny,
  });
  const reloadAndToast = useReloadAndToast();
  const path = `/teams/${team.id}/policy`;
  const { providers, allow, deny } = values;
  const save = async (): Promise<void> => {
    const allowed = PROVIDERS.length === providers.length ? null : [...providers];
    await api.put(path, {
      providers: allowed,
      models: { allow: allow === null ? null : [...allow], deny: [...deny] },
    });
    await reloadAndToast(messages.policyChanged, ['/teams', '/nodes', '/models']);
  };
  return (
    <FormDialog title={messages.policyOf(team.name)} onSubmit={save} onClose={onClose}>
      <Choices label={messages.allowedProviders}>
        {PROVIDERS.map(provider => (
          <CheckField
            key={provider}
            label={sharedMessages.provider(provider)}
            checked={providers.includes(provider)}
            onChange={({ target }) =>
              update({
                providers: PROVIDERS.filter(each =>
                  each === provider ? target.checked : providers.includes(each),
                ),
              })
            }
          />
        ))}
      </Choices>
      <CheckField
        label={messages.onlyListed}
        hint={messages.onlyListedHint}
        checked={allow !== null}
        onChange={({ target }) => update({ allow: target.checked ? [] : null })}
      />
      {allow !== null && (
        <Models label={messages.allowedModels} nodeTypes={allow} onChange={next => update({ allow: next })} />
      )}
      <Models label={messages.deniedModels} nodeTypes={deny} onChange={next => update({ deny: next })} />
    </FormDialog>
  );
}

interface ModelsProps {
  readonly label: string;
  readonly nodeTypes: readonly string[];
  readonly onChange: (nodeTypes: readonly string[]) => void;
}

/** Renders a list of models to which models can be added. */
function Models({ label, nodeTypes, onChange }: ModelsProps) {
  const all = useQuery(apiQuery(['/models'], { includeHidden: '1' })).data?.models ?? [];
  const labels = new Map(all.map(model => [model.nodeType, model.label]));
  const others = all
    .filter(
      ({ nodeType, deprecated, runsLocally }) => !deprecated && !runsLocally && !nodeTypes.includes(nodeType),
    )
    .sort((a, b) => a.label.localeCompare(b.label));
  return (
    <>
      <SelectField
        label={label}
        value=""
        options={[['', messages.addModel], ...others.map(model => [model.nodeType, model.label] as const)]}
        onChange={event => onChange([...nodeTypes, event.target.value])}
      />
      {nodeTypes.length > 0 && (
        <ul className={styles.models}>
          {nodeTypes.map(nodeType => {
            const name = labels.get(nodeType) ?? nodeType;
            return (
              <li key={nodeType}>
                <span>{name}</span>
                <IconButton
                  icon={Close}
                  size="s"
                  label={messages.removeModel(name)}
                  onClick={() => onChange(nodeTypes.filter(each => each !== nodeType))}
                />
              </li>
            );
          })}
        </ul>
      )}
    </>
  );
}
