/** The scalars of a run as cards in groups: what the user pinned first, then a group for each prefix. */
import { ActionIcon, TextInput } from '@mantine/core';
import { IconSearch, IconX } from '@tabler/icons-react';
import { useCallback, useDeferredValue, useMemo, type ReactNode, type RefObject } from 'react';
import { useTranslation } from 'react-i18next';
import { scalarField, scalarName } from '../../../shared/run/run-outputs.ts';
import { clearOnEscape, keptState } from '../../ui/index.ts';
import { findScalars, groupScalars } from '../series/scalar-list.ts';
import { NearView } from './NearView.tsx';
import { collapseGroup, pinScalar, useScalarView } from './scalar-view.ts';
import classes from './scalars.module.css';

const useSearch = keptState<string>();

/** From so many scalars on there is a search field. */
const searchedFrom = 6;
/** A card's height beside its curves: border, heading, legend. */
const chrome = 55;

/** How a card stands among the others. */
interface CardPlace {
  readonly pinned: boolean;
  readonly enlarged: boolean;
  readonly onPin: (id: string) => void;
}

export interface ScalarGroupsProps<T extends { readonly name: string }> {
  readonly labId: string;
  readonly scalars: readonly T[];
  readonly card: (scalar: T, place: CardPlace) => ReactNode;
  readonly columns: number;
  /** Of a card's curves, in pixels. */
  readonly width: number;
  readonly height: number;
  /** The id of the one card that is shown. */
  readonly enlarged: string | undefined;
  /** The element that scrolls. */
  readonly region: RefObject<HTMLElement | null>;
}

export function ScalarGroups<T extends { readonly name: string }>(props: ScalarGroupsProps<T>) {
  const { t } = useTranslation();
  const { labId, enlarged, scalars } = props;
  const { pinned, collapsed } = useScalarView(labId);
  const [text, setText] = useSearch(labId, '');
  // Without the field nobody sees why scalars are missing.
  const hasSearch = scalars.length >= searchedFrom;
  const searched = useDeferredValue(hasSearch ? text : '');
  const onPin = useCallback(
    (id: string) => {
      const name = scalarName(id);
      if (name !== undefined) pinScalar(labId, name);
    },
    [labId],
  );
  const found = useMemo(() => findScalars(scalars, searched), [scalars, searched]);
  const onTop = useMemo(
    () => pinned.flatMap((name) => found.find((scalar) => scalar.name === name) ?? []),
    [found, pinned],
  );
  const groups = useMemo(
    () => groupScalars(found.filter(({ name }) => !pinned.includes(name))),
    [found, pinned],
  );
  const cards = { ...props, onPin, pinned };
  if (enlarged !== undefined) {
    const scalar = scalars.find(({ name }) => scalarField(name) === enlarged);
    return scalar === undefined ? null : (
      <div className={classes.groups}>
        <Cards {...cards} scalars={[scalar]} />
      </div>
    );
  }
  const isSearch = searched.trim() !== '';
  return (
    <section className={classes.groups} aria-label={t('scalars.title')}>
      {hasSearch && (
        <div className={classes.search}>
          <TextInput
            size="xs"
            w={260}
            value={text}
            aria-label={t('scalars.search')}
            placeholder={t('scalars.search')}
            leftSection={<IconSearch size={13} />}
            rightSection={
              text !== '' && (
                <ActionIcon size={20} aria-label={t('scalars.clear')} onClick={() => setText(() => '')}>
                  <IconX size={12} />
                </ActionIcon>
              )
            }
            onChange={({ currentTarget: { value } }) => setText(() => value)}
            onKeyDown={clearOnEscape(text, () => setText(() => ''))}
          />
          <span role="status">{t('scalars.found', { shown: found.length, count: scalars.length })}</span>
        </div>
      )}
      {onTop.length > 0 && (
        <Group title={t('scalars.pinned')} count={onTop.length} open>
          <Cards {...cards} scalars={onTop} />
        </Group>
      )}
      {groups.map(({ prefix, scalars: members }) => {
        // What a search finds is shown.
        const open = isSearch || !collapsed.includes(prefix);
        return (
          <Group
            key={prefix}
            title={prefix === '' ? t('scalars.ungrouped') : prefix}
            count={members.length}
            open={open}
            onOpen={isSearch ? undefined : () => collapseGroup(labId, prefix)}
          >
            <Cards {...cards} scalars={members} />
          </Group>
        );
      })}
    </section>
  );
}

interface GroupProps {
  readonly title: string;
  readonly count: number;
  readonly open: boolean;
  /** Undefined where the group is always open. */
  readonly onOpen?: (() => void) | undefined;
  readonly children: ReactNode;
}

function Group({ title, count, open, onOpen, children }: GroupProps) {
  const { t } = useTranslation();
  const counted = <span className={classes.count}>{t('scalars.count', { count })}</span>;
  return (
    <section className={classes.group} aria-label={title} data-scalar-group={title}>
      <h3 className={classes.heading}>
        {onOpen === undefined ? (
          <span className={classes.title}>
            {title} {counted}
          </span>
        ) : (
          <button type="button" className={classes.title} aria-expanded={open} onClick={onOpen}>
            <span className={classes.arrow} data-open={open} aria-hidden />
            {title} {counted}
          </button>
        )}
      </h3>
      {open && children}
    </section>
  );
}

interface CardsProps<T extends { readonly name: string }> extends ScalarGroupsProps<T> {
  readonly onPin: (id: string) => void;
  readonly pinned: readonly string[];
}

function Cards<T extends { readonly name: string }>(props: CardsProps<T>) {
  const { scalars, card, columns, width, height, enlarged, region, pinned, onPin } = props;
  return (
    <div className={classes.cards} style={{ gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}>
      {scalars.map((scalar) => (
        <NearView key={scalar.name} name={scalar.name} region={region} width={width} height={height + chrome}>
          {() =>
            card(scalar, {
              pinned: pinned.includes(scalar.name),
              enlarged: enlarged !== undefined,
              onPin,
            })
          }
        </NearView>
      ))}
    </div>
  );
}
