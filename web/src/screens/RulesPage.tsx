/** The rules, from the engine's own table: presets, options, and what each value means. */
import { useState } from "react";
import { useTexts } from "../i18n";
import { type Both, type OptionRow, type PresetRow, type Rules, useRules } from "../net/rules";
import { settings } from "../net/settings";
import { useStore } from "../net/store";

export function RulesPage({ preset }: { preset: string }) {
  const texts = useTexts();
  const rules = useRules();
  const [sought, setSought] = useState("");
  return (
    <>
      <section className="card-panel prose">
        <h1>{texts.rules.title}</h1>
        <h2>{texts.rules.basics}</h2>
        <ol>
          {texts.rules.basicsText.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ol>
      </section>
      {!rules && <p className="quiet">{texts.common.loading}</p>}
      {rules && (
        <>
          <section className="card-panel">
            <h2>{texts.rules.presets}</h2>
            <p className="quiet">{texts.rules.intro}</p>
            {rules.table.presets.map((row) => (
              <Preset key={row.name} row={row} rules={rules} open={row.name === preset} />
            ))}
          </section>
          <section className="card-panel">
            <h2>{texts.rules.options}</h2>
            <div className="field">
              <label htmlFor="sought">{texts.rules.search}</label>
              <input id="sought" type="search" value={sought} onChange={(event) => setSought(event.target.value)} />
            </div>
            <Options rules={rules} sought={sought.trim().toLowerCase()} />
          </section>
        </>
      )}
    </>
  );
}

function useTold(): (both: Both) => string {
  const { language } = useStore(settings);
  return (both) => both[language];
}

function Preset({ row, rules, open }: { row: PresetRow; rules: Rules; open: boolean }) {
  const texts = useTexts();
  const told = useTold();
  const differing = Object.entries(row.values);
  return (
    <details className="rule" open={open}>
      <summary>
        <strong>{texts.preset[row.name] ?? row.name}</strong> <span className="quiet">{told(row)}</span>
      </summary>
      <h3>{texts.rules.what}</h3>
      {!differing.length && <p className="quiet">{texts.rules.nothing}</p>}
      <dl className="differing">
        {differing.map(([name, value]) => {
          const option = rules.options.get(name);
          return (
            <div key={name}>
              <dt>{option ? told(option) : name}</dt>
              <dd>{option ? valueText(option, value, told, texts) : value}</dd>
            </div>
          );
        })}
      </dl>
    </details>
  );
}

function Options({ rules, sought }: { rules: Rules; sought: string }) {
  const texts = useTexts();
  const told = useTold();
  const fits = (option: OptionRow) =>
    !sought ||
    [
      option.name,
      option.term,
      option.en,
      option.zh,
      option.clause,
      ...option.choices.flatMap((choice) => [choice.term, choice.en, choice.zh]),
    ]
      .join(" ")
      .toLowerCase()
      .includes(sought);
  const chapters = rules.table.chapters
    .map((chapter) => ({ ...chapter, options: chapter.options.filter(fits) }))
    .filter((chapter) => chapter.options.length);
  if (!chapters.length) return <p className="quiet">{texts.rules.none}</p>;
  return chapters.map((chapter) => (
    <details key={chapter.en} className="rule" open={sought !== ""}>
      <summary>
        <strong>{told(chapter)}</strong>
      </summary>
      {chapter.options.map((option) => (
        <article key={option.name} className="option">
          <h4>
            {option.term.split("、")[0]} <code>{option.name}</code> <small>{option.clause}</small>
          </h4>
          <p>{told(option)}</p>
          {option.choices.length > 0 ? (
            <ul>
              {option.choices.map((choice) => (
                <li key={choice.word} className={choice.word === option.default ? "option-default" : ""}>
                  {told(choice)}
                  {choice.word === option.default && <span className="badge">{texts.rules.byDefault}</span>}
                </li>
              ))}
            </ul>
          ) : (
            <p className="quiet">
              {texts.rules.byDefault}: {valueText(option, option.default, told, texts)}
              {option.most ? ` (${option.least ?? 0}–${option.most})` : ""}
            </p>
          )}
        </article>
      ))}
    </details>
  ));
}

function valueText(
  option: OptionRow,
  value: string,
  told: (both: Both) => string,
  texts: ReturnType<typeof useTexts>,
): string {
  if (value === "true") return texts.rules.yes;
  if (value === "false") return texts.rules.no;
  const words = option.kind === "words" ? value.split(" ") : [value];
  return words
    .map((word) => {
      const choice = option.choices.find((each) => each.word === word);
      return choice ? told(choice) : word;
    })
    .join(", ");
}
