// Renders a setting that lists people: emails, with the members of the workflow's team as suggestions.
import Plus from 'icon:plus';
import Close from 'icon:x';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useId, useState } from 'react';
import type { Json } from '../../../../src/graph/types.ts';
import { approvalMessages } from '../../../approval-messages.ts';
import type { WorkflowInfo } from '../../../board/remote.ts';
import { IconButton } from '../../../kit/button.tsx';
import { apiQuery } from '../../../lib/queries.ts';
import { useEditor } from '../../../session/editor-context.tsx';
import type { ControlProps } from './controls.tsx';
import styles from './inspector.module.css';

const peopleMessages = approvalMessages.people;
const EMAIL = /^[^\s@]+@[^\s@]+$/;

export function PeopleControl({ input, value, hint, error, onChange }: ControlProps) {
  const id = useId();
  const [text, setText] = useState('');
  const [isInvalid, setInvalid] = useState(false);
  const people = Array.isArray(value) ? (value as readonly Json[]) : [];
  const members = useMembers();
  const nameOf = (person: Json): string =>
    typeof person === 'string'
      ? person
      : (members.find(({ userId }) => userId === person)?.name ?? peopleMessages.user(String(person)));
  const set = (newPeople: readonly Json[]): void => onChange(newPeople.length === 0 ? undefined : newPeople);
  const add = (): void => {
    const found = findPeople(text, members);
    setInvalid(found === undefined);
    if (found === undefined) return;
    const added = found.filter(
      (person, index) => !people.includes(person) && found.indexOf(person) === index,
    );
    if (added.length > 0) set([...people, ...added]);
    setText('');
  };
  const addOnEnter = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    add();
  };
  const note = isInvalid ? peopleMessages.invalid : (error ?? hint);
  return (
    <fieldset className={styles.people}>
      <legend className={styles.codeLabel}>{input.label}</legend>
      <ul>
        {people.map((person, index) => (
          <li key={JSON.stringify(person)}>
            <span>{nameOf(person)}</span>
            <IconButton
              size="s"
              icon={Close}
              label={peopleMessages.remove(nameOf(person))}
              onClick={() => set(people.toSpliced(index, 1))}
            />
          </li>
        ))}
      </ul>
      <div className={styles.addPerson}>
        <input
          type="text"
          inputMode="email"
          list={id}
          aria-label={peopleMessages.email}
          aria-invalid={isInvalid || undefined}
          aria-describedby={note === undefined ? undefined : `${id}-note`}
          placeholder={peopleMessages.placeholder}
          autoComplete="off"
          value={text}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={addOnEnter}
          onBlur={() => findPeople(text, members) !== undefined && add()}
        />
        <datalist id={id}>
          {members
            .filter(({ userId }) => !people.includes(userId))
            .map(({ userId, name }) => (
              <option key={userId} value={name} />
            ))}
        </datalist>
        <IconButton size="s" icon={Plus} label={peopleMessages.add} onClick={add} />
      </div>
      {note !== undefined && (
        <p
          id={`${id}-note`}
          className={styles.note}
          data-error={isInvalid || error !== undefined || undefined}
        >
          {note}
        </p>
      )}
    </fieldset>
  );
}

interface Member {
  readonly userId: number;
  readonly name: string;
}

/** Returns the member with this name, or the emails in the text. Returns undefined if the text is neither. */
function findPeople(text: string, members: readonly Member[]): readonly (string | number)[] | undefined {
  const member = members.find(({ name }) => name === text.trim());
  if (member !== undefined) return [member.userId];
  const emails = text.split(/[\s,;]+/).filter(part => part !== '');
  return emails.every(email => EMAIL.test(email)) ? emails : undefined;
}

/** Returns the members of the workflow's team. */
function useMembers(): readonly Member[] {
  const { session } = useEditor();
  const { data: workflow } = useQuery(apiQuery<WorkflowInfo>([`/workflows/${session.id}`]));
  const teamId = workflow?.teamId ?? null;
  const { data } = useQuery({
    ...apiQuery([`/teams/${teamId ?? ''}`, 'members'] as const, { limit: 200 }),
    enabled: teamId !== null,
  });
  return data?.data ?? [];
}
