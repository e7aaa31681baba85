/** What each rank's time goes into: a bar for each rank, and the lines of the script that take the most of one rank's. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { seriesColour } from '../../../shared/base/series-colour.ts';
import { say } from '../../../shared/i18n/say.ts';
import {
  describeLine,
  describeParts,
  partsOf,
  profileParts,
  type ProfilePart,
  type RankProfile,
} from '../../../shared/run/rank-profile.ts';
import { useLanguage } from '../../state/index.ts';
import { formatDuration, formatPercent } from '../../ui/index.ts';
import classes from './TimeShares.module.css';

const colourOf = (part: ProfilePart): string => seriesColour(profileParts.indexOf(part));

export function TimeShares({
  profiles,
  nameOf,
}: {
  profiles: readonly RankProfile[];
  nameOf: (rank: number) => string;
}) {
  const { t } = useTranslation();
  const language = useLanguage();
  const [chosen, setChosen] = useState<number>();
  const shown = profiles.find(({ rank }) => rank === chosen) ?? profiles[0];
  if (shown === undefined) return null;
  const percent = (share: number): string => formatPercent(100 * share, language);
  const used = profileParts.filter((part) => profiles.some(({ shares }) => (shares[part] ?? 0) > 0));
  return (
    <div className={classes.shares}>
      <h4>{t('why.shares.title')}</h4>
      <ul className={classes.legend} aria-hidden>
        {used.map((part) => (
          <li key={part}>
            <span className={classes.key} style={{ background: colourOf(part) }} />
            {say(language, `profile.${part}`)}
          </li>
        ))}
      </ul>
      <ul className={classes.bars} aria-label={t('why.shares.title')}>
        {profiles.map((profile) => (
          <li key={profile.rank}>
            <button
              type="button"
              className={classes.row}
              aria-pressed={profile.rank === shown.rank}
              aria-label={`${nameOf(profile.rank)}: ${describeParts(profile, language)}`}
              onClick={() => setChosen(profile.rank)}
            >
              <span className={classes.name}>{nameOf(profile.rank)}</span>
              <span className={classes.bar}>
                {partsOf(profile).map(({ part, share }) => (
                  <span
                    key={part}
                    className={classes.part}
                    data-part={part}
                    style={{ width: `${100 * share}%`, background: colourOf(part) }}
                    title={`${say(language, `profile.${part}`)} ${percent(share)}`}
                  />
                ))}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {shown.places.length > 0 && (
        <table className={classes.places}>
          <caption>{t('why.shares.places', { rank: nameOf(shown.rank) })}</caption>
          <thead>
            <tr>
              <th scope="col">{t('why.shares.share')}</th>
              <th scope="col">{t('why.shares.part')}</th>
              <th scope="col">{t('why.shares.line')}</th>
            </tr>
          </thead>
          <tbody>
            {shown.places.map((place) => (
              <tr key={`${place.file}:${place.line} ${place.function}`}>
                <td className={classes.number}>{percent(place.share)}</td>
                <td>{say(language, `profile.${place.part}`)}</td>
                <td className={classes.code}>{describeLine(place)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p className={classes.about}>
        {t('why.shares.about', { time: formatDuration(Math.round(shown.seconds), language) })}
      </p>
    </div>
  );
}
