// Renders a list whose items the user moves with buttons, or by dragging them by their handle.

import ArrowDown from 'icon:arrow-down';
import ArrowUp from 'icon:arrow-up';
import { type HTMLAttributes, type ReactNode, useRef, useState } from 'react';
import { messages } from '../messages.ts';
import { IconButton } from './button.tsx';
import styles from './sortable-list.module.css';

interface SortableItem<T> {
  readonly item: T;
  readonly index: number;
  readonly moveButtons: ReactNode;
  /** The props of an element by which the user drags the item. */
  readonly handle: HTMLAttributes<HTMLElement>;
}

interface SortableListProps<T> {
  readonly items: readonly T[];
  /** Further items are kept but not shown. */
  readonly maxShown?: number;
  /** Items without a key are told apart by their position. */
  readonly getKey?: (item: T) => string;
  /** The name of an item in the labels of its buttons. */
  readonly getName: (item: T, index: number) => string;
  readonly label?: string;
  readonly className?: string | undefined;
  readonly itemClassName?: string | undefined;
  readonly onChange: (items: readonly T[]) => void;
  readonly children: (sortable: SortableItem<T>) => ReactNode;
}

export function SortableList<T>({
  items,
  maxShown,
  getKey,
  getName,
  label,
  className,
  itemClassName,
  onChange,
  children,
}: SortableListProps<T>) {
  const dragged = useRef<number>(undefined);
  const [target, setTarget] = useState<number>();
  const move = (from: number, to: number): void => onChange(moveItem(items, from, to));
  const createHandle = (index: number, name: string): HTMLAttributes<HTMLElement> => ({
    draggable: true,
    className: styles.handle,
    onDragStart: event => {
      event.dataTransfer.effectAllowed = 'move';
      event.dataTransfer.setData('text/plain', name);
      dragged.current = index;
    },
    onDragEnd: () => {
      dragged.current = undefined;
      setTarget(undefined);
    },
  });
  return (
    <ol className={className} aria-label={label}>
      {items.slice(0, maxShown).map((item, index) => {
        const name = getName(item, index);
        return (
          <li
            key={getKey?.(item) ?? index}
            className={itemClassName}
            data-target={target === index || undefined}
            onDragOver={event => {
              if (dragged.current === undefined) return;
              event.preventDefault();
              setTarget(index);
            }}
            onDrop={event => {
              if (dragged.current === undefined) return;
              event.preventDefault();
              move(dragged.current, index);
            }}
          >
            {children({
              item,
              index,
              moveButtons: (
                <MoveButtons
                  name={name}
                  index={index}
                  count={items.length}
                  onMove={offset => move(index, index + offset)}
                />
              ),
              handle: createHandle(index, name),
            })}
          </li>
        );
      })}
    </ol>
  );
}

interface MoveButtonsProps {
  /** What the labels of the buttons call the item. */
  readonly name?: string;
  readonly index: number;
  readonly count: number;
  readonly onMove: (offset: 1 | -1) => void;
}

/** Renders the buttons that move an item. At an end of the list they keep the focus, but do nothing. */
export function MoveButtons({ name, index, count, onMove }: MoveButtonsProps) {
  return (
    <>
      <IconButton
        size="s"
        icon={ArrowUp}
        label={messages.common.moveUp(name)}
        aria-disabled={index === 0}
        onClick={() => index > 0 && onMove(-1)}
      />
      <IconButton
        size="s"
        icon={ArrowDown}
        label={messages.common.moveDown(name)}
        aria-disabled={index + 1 >= count}
        onClick={() => index + 1 < count && onMove(1)}
      />
    </>
  );
}

function moveItem<T>(items: readonly T[], from: number, to: number): readonly T[] {
  const item = items[from] as T;
  return items.toSpliced(from, 1).toSpliced(to, 0, item);
}
