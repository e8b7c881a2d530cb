/** The pages for those who look after the game. What one may do follows from the tokens that one has pasted. */
import { useState } from "react";
import { useTexts } from "../i18n";
import { useStore } from "../net/store";
import { AuditLog } from "./AuditLog";
import { dropPass, passes, takePass } from "./calls";
import { en } from "./en";
import { OneTable } from "./OneTable";
import { Players } from "./Players";
import { AdminContext, Field, useAdminTexts } from "./parts";
import { Queues } from "./Queues";
import { Reports } from "./Reports";
import { Servers } from "./Servers";
import { Tables } from "./Tables";
import { zh } from "./zh";
import "../styles/admin.css";

type Place = keyof typeof en.sections;

const PLACES = Object.keys(en.sections) as Place[];

/** `path` is what stands behind `#/admin/`: a section, and what it is about. */
export function AdminPage({ path }: { path: readonly string[] }) {
  const texts = useTexts();
  const held = useStore(passes);
  return (
    <AdminContext value={texts.language === en.language ? en : zh}>
      <div className="admin">
        <Title />
        {held.length > 0 && <Inside path={path} key={held.map((pass) => pass.role).join(" ")} />}
        <Passes />
      </div>
    </AdminContext>
  );
}

function Inside({ path }: { path: readonly string[] }) {
  const admin = useAdminTexts();
  const place = path[0] === "table" ? "tables" : (PLACES.find((name) => name === path[0]) ?? "tables");
  return (
    <>
      <nav className="admin-nav" aria-label={admin.menu}>
        {PLACES.map((name) => (
          <a key={name} className="link" href={`#/admin/${name}`} aria-current={name === place ? "page" : undefined}>
            {admin.sections[name]}
          </a>
        ))}
      </nav>
      {path[0] === "table" && path[1] ? (
        <OneTable key={path[1]} tableId={path[1]} />
      ) : (
        <Section place={place} path={path} />
      )}
    </>
  );
}

function Section({ place, path }: { place: Place; path: readonly string[] }) {
  switch (place) {
    case "servers":
      return <Servers />;
    case "tables":
      return <Tables />;
    case "queues":
      return <Queues />;
    case "players":
      return <Players playerId={path[1] ?? ""} />;
    case "reports":
      return <Reports />;
    case "log":
      return <AuditLog />;
  }
}

function Title() {
  return <h1>{useAdminTexts().title}</h1>;
}

/** The tokens at hand, and a place for another. */
function Passes() {
  const admin = useAdminTexts();
  const held = useStore(passes);
  const language = useTexts().language === en.language ? "en" : "zh-Hans";
  const [token, setToken] = useState("");
  const [bad, setBad] = useState(false);
  return (
    <section className="card-panel" aria-label={admin.pass.title}>
      <h2>{admin.pass.title}</h2>
      <ul className="people">
        {held.map((pass) => (
          <li key={pass.role} data-role={pass.role}>
            <span>
              <strong>{pass.name}</strong> {admin.roles[pass.role]}{" "}
              <small>{admin.pass.until(new Date(pass.expires).toLocaleString(language))}</small>
            </span>
            <button type="button" className="link" onClick={() => dropPass(pass)}>
              {admin.pass.drop(admin.roles[pass.role])}
            </button>
          </li>
        ))}
      </ul>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const taken = takePass(token);
          setBad(!taken);
          if (taken) setToken("");
        }}
      >
        <p className="quiet">{admin.pass.lead}</p>
        <Field label={admin.pass.label} value={token} onChange={setToken} secret most={4000} />
        <button type="submit" className="button button-quiet" disabled={!token.trim()}>
          {admin.pass.add}
        </button>
        {bad && (
          <p className="warning" role="alert">
            {admin.pass.bad}
          </p>
        )}
      </form>
    </section>
  );
}
