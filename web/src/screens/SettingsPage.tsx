/** What one sets for this browser. */
import { LANGUAGES, type Language, useTexts } from "../i18n";
import { change, type Settings, settings } from "../net/settings";
import { useStore } from "../net/store";
import { Choice, Switch } from "../parts/Choice";

export function SettingsPage() {
  const texts = useTexts();
  return (
    <>
      <section className="card-panel">
        <h1>{texts.settings.title}</h1>
        <SettingsForm />
      </section>
      <section className="card-panel">
        <h2>{texts.settings.keys}</h2>
        <dl className="keys">
          {texts.settings.keyList.map(([key, what]) => (
            <div key={key}>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
      </section>
    </>
  );
}

export function SettingsForm() {
  const texts = useTexts();
  const wishes = useStore(settings);
  return (
    <div className="settings">
      <Choice<Language>
        label={texts.settings.language}
        value={wishes.language}
        options={(Object.keys(LANGUAGES) as Language[]).map((language) => ({
          value: language,
          label: LANGUAGES[language].language,
        }))}
        onChange={(language) => change({ language })}
      />
      <Choice<Settings["size"]>
        label={texts.settings.size}
        value={wishes.size}
        options={named(texts.settings.sizes)}
        onChange={(size) => change({ size })}
      />
      <Choice<Settings["order"]>
        label={texts.settings.order}
        value={wishes.order}
        options={named(texts.settings.orders)}
        onChange={(order) => change({ order })}
      />
      <Choice<Settings["motion"]>
        label={texts.settings.motion}
        value={wishes.motion}
        options={named(texts.settings.motions)}
        onChange={(motion) => change({ motion })}
      />
      <Switch
        label={texts.settings.confirm}
        help={texts.settings.confirmHelp}
        on={wishes.confirm}
        onChange={(confirm) => change({ confirm })}
      />
      <Switch
        label={texts.settings.hints}
        help={texts.settings.hintsHelp}
        on={wishes.hints}
        onChange={(hints) => change({ hints })}
      />
      <Switch
        label={texts.settings.suits}
        help={texts.settings.suitsHelp}
        on={wishes.fourColours}
        onChange={(fourColours) => change({ fourColours })}
      />
      <Switch label={texts.settings.sound} on={wishes.sound} onChange={(sound) => change({ sound })} />
    </div>
  );
}

function named<T extends string>(labels: Record<string, string>): { value: T; label: string }[] {
  return Object.entries(labels).map(([value, label]) => ({ value: value as T, label }));
}
